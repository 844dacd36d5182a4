// SPDX-License-Identifier: Apache-2.0
// crivo-experiments: the experiments of the documents that the project began with, run again.

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "crivo/key.hpp"
#include "crivo/version.hpp"
#include "experiments/commit.hpp"
#include "experiments/experiment.hpp"
#include "experiments/whole_report.hpp"
#include "options/program.hpp"

namespace crivo::experiments {
namespace {

struct Options {
  std::string scale = "small";
  std::vector<std::string> only;
  std::filesystem::path directory;
  std::filesystem::path words;
  std::filesystem::path urls;
  unsigned repeat = 50;
  unsigned jobs = 1;
  unsigned threads = 0;
  bool faithful = false;
  bool report_only = false;
  bool list = false;
  bool quiet = false;
};

void add_options(options::Program& program, Options& options) {
  program
      .option("--scale", options.scale,
              std::string("small: seconds, to see that all is well; full: the documents' own "
                          "numbers, ") +
                  kFullRunCost)
      .one_of({"small", "full"})
      .shows_default();
  program.option("--only", options.only, "run this experiment; may be given again")
      .value_name("NAME");
  program.flag(
      "--faithful", options.faithful,
      "the same as --only faithful: graphs of the dissertation's own functions, drawn anew "
      "for each, beside Crivo's way");
  program
      .option("--words", options.words,
              "take this file's lines for the vocabulary, instead of generated words")
      .value_name("FILE");
  program.option("--urls", options.urls, "take this file's lines for the URLs").value_name("FILE");
  program
      .option("--repeat", options.repeat,
              "how often at most to repeat what the documents repeat; runs of 10 s or more are "
              "repeated 10 times, others 50")
      .value_name("N")
      .range(1, 10'000)
      .shows_default();
  program
      .option("-o,--output", options.directory,
              "where the reports, their plots and the results are kept; made if it is not there")
      .value_name("DIR");
  program.flag("--report", options.report_only,
               "measure nothing: write the reports of the results that DIR holds");
  program
      .option("--jobs", options.jobs,
              "so many experiments at once of those that time nothing; times are measured one "
              "after another")
      .value_name("N")
      .range(1, 64)
      .shows_default();
  program
      .option("--threads", options.threads,
              "of what is not timed, 0: one a core (what is timed has one thread)")
      .value_name("N")
      .range(0, 1024)
      .shows_default();
  program.flag("--list", options.list, "list the experiments and end");
  program.flag("-q,--quiet", options.quiet, "say nothing on standard error while it runs");
}

// clang-format off: the lines as they are printed
constexpr const char* kDescription =
    "Runs the experiments of the documents that Crivo began with again, and writes a report: each\n"
    "table beside the figures that the document prints, with today's structures on the same work.\n"
    "Every measured step is kept, so that a run that was interrupted goes on when it is given the\n"
    "same directory. At the full scale times want an idle machine: a step in which others kept\n"
    "more than half a core busy (a load above 1.5) is measured again.\n\n"
    "Examples:\n"
    "  crivo-experiments -o /tmp/small\n"
    "  crivo-experiments --scale full -o full\n"
    "  crivo-experiments --scale full --only linear-probing -o full\n"
    "  crivo-experiments --words words.txt --urls urls.txt -o mine\n"
    "  crivo-experiments --faithful --repeat 10 -o faithful\n";
constexpr const char* kFooter =
    "DIR/report.md, and report.pt.md in Portuguese, have all experiments that DIR holds results\n"
    "of; DIR/results/NAME.json are those: remove one to measure anew. Exit codes as of crivo.";
// clang-format on

void make_directory(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw Error(ErrorKind::io, path.string() + ": " + error.message());
}

/// Those that --only and --faithful name, or all. Throws Error(usage).
std::vector<Experiment> chosen(const Options& options) {
  std::vector<std::string> only = options.only;
  if (options.faithful) only.emplace_back("faithful");
  const auto all = experiments();
  for (const std::string& name : only) {
    if (std::ranges::find(all, name, &Experiment::name) == all.end()) {
      throw Error(ErrorKind::usage, "there is no experiment '" + name + "' (see --list)");
    }
  }
  std::vector<Experiment> some;
  std::ranges::copy_if(all, std::back_inserter(some), [&](const Experiment& experiment) {
    return only.empty() || std::ranges::find(only, experiment.name) != only.end();
  });
  return some;
}

/// What tells a file's keys from others: its name, size and the hash of what it has.
std::string described(const std::filesystem::path& file) {
  if (file.empty()) return "generated";
  std::ifstream in(file, std::ios::binary);
  const std::string all(std::istreambuf_iterator<char>(in), {});
  if (!in) throw Error(ErrorKind::io, file.string() + ": cannot read");
  std::array<char, 17> hash{};
  std::snprintf(hash.data(), hash.size(), "%016llx",
                static_cast<unsigned long long>(detail::hash_key(all, 0).hi));
  return file.filename().string() + ", " + std::to_string(all.size()) + " bytes, " + hash.data();
}

void measure(const Options& options, const std::vector<Experiment>& some, AllResults& all) {
  const std::filesystem::path files_directory = options.directory / "files";
  make_directory(files_directory);
  const Scale scale = options.scale == "full" ? Scale::full : Scale::small;
  const std::uint64_t count = keys_of(scale);
  KeySets key_sets({gen::Kind::words, count, options.words},
                   {gen::Kind::urls, count, options.urls});
  ProgressLine progress(options.quiet, options.jobs > 1);
  const unsigned threads = base::thread_count(options.threads);
  const auto measure_one = [&](const Experiment& experiment) {
    const std::string name(experiment.name);
    Results& results = all.at(name);
    if (results.complete()) return;
    const bool discards = experiment.timed && scale == Scale::full;
    Run run(name, scale, threads, files_directory, key_sets, results, progress,
            discards ? Busy::discards : Busy::keeps);
    experiment.measure(run);
    results.finish();
  };
  std::vector<Experiment> timed = some;
  const auto first_untimed = std::ranges::stable_partition(timed, &Experiment::timed).begin();
  const std::vector<Experiment> untimed(first_untimed, timed.end());
  timed.erase(first_untimed, timed.end());
  base::parallel_for(options.jobs, untimed.size(),
                     [&](std::uint64_t i) { measure_one(untimed[i]); });
  std::ranges::for_each(timed, measure_one);
  std::error_code ignored;
  std::filesystem::remove(files_directory, ignored);  // steps remove what they put there
}

int run(const Options& options) {
  const std::vector<Experiment> some = chosen(options);
  if (options.list) {
    for (const Experiment& experiment : some) {
      std::cout << experiment.name << '\t' << experiment.title << '\n';
    }
    return 0;
  }
  if (options.directory.empty()) throw Error(ErrorKind::usage, "-o DIR is missing (see --help)");
  const std::filesystem::path results_directory = options.directory / "results";
  if (!options.report_only) make_directory(results_directory);

  const Circumstances about{.scale = options.scale,
                            .version = crivo::version(),
                            .repeat = options.repeat,
                            .words = described(options.words),
                            .urls = described(options.urls),
                            .commit = commit()};
  AllResults all;
  for (const Experiment& experiment : experiments()) {
    const std::string name(experiment.name);
    const std::filesystem::path path = results_directory / (name + ".json");
    if (options.report_only) {
      all.try_emplace(name, path);
    } else {
      all.try_emplace(name, path, about);
    }
  }
  if (!options.report_only) measure(options, some, all);
  write_reports(options.directory, all);
  std::cout << (options.directory / "report.md").string() << std::endl;
  if (!std::cout) throw Error(ErrorKind::io, "(standard output): cannot write");
  return 0;
}

}  // namespace
}  // namespace crivo::experiments

int main(int argc, char** argv) {
  crivo::options::Program program("crivo-experiments", crivo::experiments::kDescription,
                                  crivo::experiments::kFooter);
  program.version(std::string("crivo-experiments ") + crivo::version());
  crivo::experiments::Options options;
  crivo::experiments::add_options(program, options);
  return program.run(argc, argv, [&] { return crivo::experiments::run(options); });
}
