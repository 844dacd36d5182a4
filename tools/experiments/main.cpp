// crivo-experiments: the experiments of the documents that the project began with, run again.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "crivo/text.hpp"
#include "experiments/experiment.hpp"

namespace crivo::experiments {
namespace {

struct Options {
  std::string scale = "small";
  std::vector<std::string> only;
  std::filesystem::path directory;
  unsigned threads = 0;
  bool list = false;
  bool quiet = false;
};

void add_options(CLI::App& app, Options& options) {
  app.add_option("--scale", options.scale,
                 "small: seconds, to see that all is well; full: the documents' own numbers, most "
                 "of an hour and 8 GiB of memory")
      ->check(CLI::IsMember({"small", "full"}))
      ->capture_default_str();
  app.add_option("--only", options.only, "run this experiment; may be given again")
      ->type_name("NAME");
  app.add_option("-o,--output", options.directory,
                 "where report.md, its plots and the results are kept; made if it is not there")
      ->type_name("DIR");
  app.add_option("--threads", options.threads,
                 "of what is not timed, 0: one a core (what is timed has one thread)")
      ->type_name("N")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_flag("--list", options.list, "list the experiments and end");
  app.add_flag("-q,--quiet", options.quiet, "say nothing on standard error while it runs");
}

// clang-format off: the lines as they are printed
constexpr const char* kDescription =
    "Runs the experiments of the documents that Crivo began with again, and writes a report: each\n"
    "table beside the figures that the document prints, with today's structures on the same work.\n"
    "Every measured step is kept, so that a run that was interrupted goes on when it is given the\n"
    "same directory.\n\n"
    "Examples:\n"
    "  crivo-experiments -o /tmp/small\n"
    "  crivo-experiments --scale full -o full\n"
    "  crivo-experiments --scale full --only linear-probing -o full\n";
constexpr const char* kFooter =
    "DIR/report.md has all experiments that DIR holds results of; DIR/results/NAME.json are "
    "those:\n"
    "remove one to measure anew. Exit codes as of crivo.";
// clang-format on

void make_directory(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw Error(ErrorKind::io, path.string() + ": " + error.message());
}

/// Those that --only names, or all. Throws Error(usage).
std::vector<Experiment> chosen(const std::vector<std::string>& only) {
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

/// The report of all that was measured.
void write_report(const std::filesystem::path& directory, const AllResults& all,
                  const Circumstances& about) {
  Report report(directory, all);
  report.heading(1, "The experiments of the seeds, run again");
  report.paragraph("Crivo " + about.version + ", `crivo-experiments --scale " + about.scale +
                   "`. Times are CPU time of one thread, in seconds, unless it says otherwise; the "
                   "documents' figures are as printed in them, from their machines.");
  for (const Experiment& experiment : experiments()) {
    const Results* const results = report.results_of(experiment.name);
    if (results == nullptr) continue;
    report.heading(2, std::string(experiment.title));
    report.paragraph("Experiment `" + std::string(experiment.name) + "`, on " + results->cpu() +
                     ".");
    experiment.report(*results, report);
  }
  report.save();
}

int run(const Options& options) {
  const std::vector<Experiment> some = chosen(options.only);
  if (options.list) {
    for (const Experiment& experiment : some) {
      std::cout << experiment.name << '\t' << experiment.title << '\n';
    }
    return 0;
  }
  if (options.directory.empty()) throw Error(ErrorKind::usage, "-o DIR is missing (see --help)");
  check_gnuplot();  // before the work, not after
  const std::filesystem::path results_directory = options.directory / "results";
  const std::filesystem::path files_directory = options.directory / "files";
  make_directory(results_directory);
  make_directory(files_directory);

  const Circumstances about{options.scale, CRIVO_VERSION};
  AllResults all;
  for (const Experiment& experiment : experiments()) {
    const std::string name(experiment.name);
    all.emplace(name, Results(results_directory / (name + ".json"), about));
  }
  const Scale scale = options.scale == "full" ? Scale::full : Scale::small;
  KeySets key_sets(keys_of(scale));
  ProgressLine progress(options.quiet);
  for (const Experiment& experiment : some) {
    const std::string name(experiment.name);
    Results& results = all.at(name);
    if (results.complete()) continue;
    Run run(name, scale, base::thread_count(options.threads), files_directory, key_sets, results,
            progress);
    experiment.measure(run);
    results.finish();
  }
  std::error_code ignored;
  std::filesystem::remove(files_directory, ignored);  // steps remove what they put there
  progress.begin_step("report");
  write_report(options.directory, all, about);
  progress.end_step();
  std::cout << (options.directory / "report.md").string() << std::endl;
  if (!std::cout) throw Error(ErrorKind::io, "(standard output): cannot write");
  return 0;
}

}  // namespace
}  // namespace crivo::experiments

int main(int argc, char** argv) {
  CLI::App app{crivo::experiments::kDescription, "crivo-experiments"};
  app.set_version_flag("--version", std::string("crivo-experiments ") + CRIVO_VERSION);
  crivo::experiments::Options options;
  crivo::experiments::add_options(app, options);
  app.footer(crivo::experiments::kFooter);
  const auto report = [](const std::string& message, crivo::ErrorKind kind) {
    std::cerr << "crivo-experiments: " << crivo::escape(message) << '\n';
    return exit_code(kind);
  };
  try {
    app.parse(argc, argv);
    return crivo::experiments::run(options);
  } catch (const CLI::Success& success) {  // --help and --version
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return report(std::string(error.what()) + " (see --help)", crivo::ErrorKind::usage);
  } catch (const crivo::Error& error) {
    return report(error.what(), error.kind());
  } catch (const std::exception& error) {
    return report(error.what(), crivo::ErrorKind::io);
  }
}
