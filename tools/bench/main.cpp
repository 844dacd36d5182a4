// SPDX-License-Identifier: Apache-2.0
// crivo-bench: structures of a kind side by side.

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "bench/figures_table.hpp"
#include "bench/key_sets.hpp"
#include "bench/methods.hpp"
#include "bench/run.hpp"
#include "bench/task.hpp"
#include "crivo/error.hpp"
#include "options/program.hpp"
#include "report/plot.hpp"

namespace crivo::bench {
namespace {

struct Options {
  std::string keys = "ints";
  std::string kind = name_of(Kind::mphf);
  double fpr = 1.0 / 256;
  unsigned value_bits = 24;
  std::uint64_t count = 1'000'000;
  std::uint64_t lookups = 10'000'000;
  std::uint64_t seed = 0;
  std::vector<std::string> methods;
  std::vector<std::string> peers;
  std::string baseline;
  std::uint64_t limit = 3600;
  std::string form = "text";
  std::string json;
  std::string svg;
  bool list = false;
  bool quiet = false;
  RunOptions run;
};

void add_options(options::Program& program, Options& options) {
  program.option("KEYS", options.keys, "what `crivo gen` makes: ints, words or urls")
      .one_of({"ints", "words", "urls"})
      .shows_default();
  program.option("--kind", options.kind, "what is compared: mphf, filter or map")
      .one_of({name_of(Kind::mphf), name_of(Kind::filter), name_of(Kind::map)})
      .shows_default();
  program.option("--fpr", options.fpr, "of a filter: the false-positive rate not to exceed")
      .value_name("P")
      .range(0x1p-32, 0.5)
      .shows_default("1/256");
  program.option("--value-bits", options.value_bits, "of a map: bits of a value, 1 to 63")
      .value_name("B")
      .range(1, 63)
      .shows_default();
  program.option("-n,--count", options.count, "how many keys")
      .value_name("N")
      .range(std::uint64_t{1}, std::uint64_t{1} << 36)
      .shows_default();
  program
      .option("--lookups", options.lookups,
              "look up at most N keys, drawn at random, and as many absent ones (of filters, whose "
              "rates they show, up to a million where the set has fewer)")
      .value_name("N")
      .range(std::uint64_t{1}, std::uint64_t{1} << 36)
      .shows_default();
  program.option("--seed", options.seed, "which sequence of keys").value_name("N").shows_default();
  program
      .option("--methods", options.methods,
              "only these, by name or library; * stands for any letters: 'Crivo*,BDZ'")
      .value_name("A,B,...")
      .separated_by(',');
  program
      .option("--peer", options.peers,
              "a shared library with more methods (tools/bench/peer.h); may be given again")
      .value_name("FILE.so");
  program.option("--baseline", options.baseline, "show ratios to this method").value_name("NAME");
  program.option("--threads", options.run.threads, "of a build, where the method has them")
      .value_name("N")
      .range(1, 1024)
      .shows_default();
  program.option("--builds", options.run.builds, "builds of each method; the fastest counts")
      .value_name("N")
      .range(1, 100)
      .shows_default();
  program.option("--repeat", options.run.rounds, "rounds of lookups; the fastest counts")
      .value_name("N")
      .range(1, 1000)
      .shows_default();
  program.option("--limit", options.limit, "give up a method that takes longer for a step")
      .value_name("SECONDS")
      .range(1, 1'000'000)
      .shows_default();
  program.option("--table", options.form, "how the table is printed: text, markdown or csv")
      .value_name("FORM")
      .one_of({"text", "markdown", "csv"})
      .shows_default();
  program.option("--json", options.json, "write the figures to a file too").value_name("FILE");
  program.option("--svg", options.svg, "write plots: PREFIX-lookup.svg and PREFIX-build.svg")
      .value_name("PREFIX");
  program.flag("--list", options.list, "list the methods and end");
  program.flag("-q,--quiet", options.quiet, "say nothing on standard error while it runs");
}

// clang-format off: the lines as they are printed
constexpr const char* kDescription =
    "Builds minimal perfect hash functions, filters or static functions over the same keys, one\n"
    "process a method, checks each, and prints its space, its build time and memory, and the time\n"
    "of a lookup.\n\n"
    "Examples:\n"
    "  crivo-bench urls -n 1000000\n"
    "  crivo-bench -n 10000000 --methods 'Crivo*,CHD,BDZ' --baseline CHD --json r.json --svg r\n"
    "  crivo-bench -n 10000000 --peer /tmp/phast.so --baseline 'PHast+ S=10' --threads 2\n"
    "  crivo-bench urls -n 1000000 --kind filter --fpr 0.01\n"
    "  crivo-bench urls -n 1000000 --kind map --value-bits 24\n";
constexpr const char* kFooter =
    "Columns (as many side by side as a terminal has room for):\n"
    "  bits/key      the bytes that lookups read\n"
    "  rate          of a filter: of how many absent keys it says maybe, in %\n"
    "  overhead      bits/key to the least there can be: of a filter log2(1 / rate), of a map the\n"
    "                bits of a value\n"
    "  build         CPU time of all threads per key; of another build, from keys that are hashed\n"
    "                and sorted already (sorted), for methods that begin so; time that passed "
    "(wall)\n"
    "  peak          the most memory in use beside the keys, bytes per key\n"
    "  lookup        CPU time with the hashing counted: one, each key by itself; dependent, each\n"
    "                begun when the last has ended; batch, by the call for many keys; absent, as\n"
    "                one, of keys outside the set (fails: a crash there); abs. batch, both\n"
    "  ratio         to --baseline; where that has no batch or sorted, to its one or CPU\n"
    "Exit codes as of crivo.";
// clang-format on

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown processor";
}

/// 2026-11-22, by the clock of the place.
std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  std::array<char, 11> text{};
  std::strftime(text.data(), text.size(), "%F", &parts);
  return text.data();
}

/// Letters of a line of standard output; no limit where that is no terminal.
std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return std::numeric_limits<std::size_t>::max();
  }
  return size.ws_col;
}

/// A file that is opened before the run, so that an impossible path is told before the work.
class Report {
 public:
  explicit Report(std::string path) : path_(std::move(path)), file_(path_) { check(); }

  void write(const std::string& text) {
    file_ << text << std::flush;
    check();
  }

 private:
  void check() const {
    if (!file_) throw Error(ErrorKind::io, path_ + ": cannot write");
  }

  std::string path_;
  std::ofstream file_;
};

/// Space against a cost of each method, those of one library in one colour.
std::string plot(const Circumstances& about, const std::vector<Row>& rows, const std::string& what,
                 const std::string& axis, double (*of)(const Row&)) {
  const bool mphf = about.structure == Kind::mphf;
  report::Panel panel{.x = {.title = axis, .logarithmic = true}};
  panel.y.logarithmic = true;
  if (mphf) {
    panel.y.title = "bits per key (logarithmic above the least possible, 1.44)";
    panel.y.floor = std::numbers::log2e;
  } else if (about.structure == Kind::filter) {
    panel.y.title = "space above log2(1 / rate), %";
  } else {
    panel.y.title = "space above the bits of a value, %";
  }
  for (const Row& row : rows) {
    if (!row.failure.empty() || (!mphf && row.overhead == 0)) continue;
    auto series = std::ranges::find(panel.series, row.library, &report::Series::title);
    if (series == panel.series.end()) {
      series = panel.series.insert(series,
                                   {.title = row.library, .style = report::Series::Style::points});
    }
    series->points.push_back(
        {.x = of(row), .y = mphf ? row.bits : 100 * (row.overhead - 1), .label = row.name});
  }
  return report::to_svg(
      {.title = report::grouped(about.keys) + " " + about.kind + ": space against " + what,
       .subtitle = "Lower left is better. " + circumstances_line(about),
       .panels = {std::move(panel)}});
}

Task task_of(const Options& options) {
  if (options.kind == name_of(Kind::filter)) return {Kind::filter, options.fpr};
  if (options.kind == name_of(Kind::map)) {
    return {Kind::map, 0, options.value_bits, make_values(options.count, options.value_bits)};
  }
  return {};
}

int bench(Options options) {
  const Task task = task_of(options);
  const std::vector<Method> all = all_methods(task.kind, options.peers);
  const std::vector<Method> methods = chosen(all, options.methods);
  if (options.list) {
    for (const Method& method : methods) {
      std::cout << method.calls.name << '\t' << method.library << '\n';
    }
    return 0;
  }
  const auto is_baseline = [&](const Method& m) { return m.calls.name == options.baseline; };
  if (!options.baseline.empty() && std::none_of(methods.begin(), methods.end(), is_baseline)) {
    throw Error(ErrorKind::usage,
                "no method '" + options.baseline + "' in the run to compare with (see --list)");
  }
  std::vector<Report> reports;
  if (!options.json.empty()) reports.emplace_back(options.json);
  if (!options.svg.empty()) {
    reports.emplace_back(options.svg + "-lookup.svg");
    reports.emplace_back(options.svg + "-build.svg");
  }
  const auto say = [&](const std::string& what) {
    if (!options.quiet) std::cerr << "crivo-bench: " << what << std::endl;
  };

  say("generate " + std::to_string(options.count) + " " + options.keys);
  const gen::Kind kind = options.keys == "urls"    ? gen::Kind::urls
                         : options.keys == "words" ? gen::Kind::words
                                                   : gen::Kind::ints;
  const std::uint64_t present = std::min(options.count, options.lookups);
  constexpr std::uint64_t kRateKeys = 1'000'000;  // a rate is measured over so many at least
  const std::uint64_t absent = task.kind == Kind::filter
                                   ? std::min(options.lookups, std::max(options.count, kRateKeys))
                                   : present;
  const KeySets keys = make_key_sets(kind, options.seed, options.count, present, absent);
  options.run.limit = std::chrono::seconds(options.limit);
  const std::vector<Row> rows = run(methods, task, keys, options.run, say);

  Circumstances about{.structure = task.kind,
                      .fpr = task.fpr,
                      .value_bits = task.value_bits,
                      .kind = options.keys,
                      .keys = options.count,
                      .seed = options.seed,
                      .lookups = present,
                      .absent_lookups = absent,
                      .options = options.run,
                      .cpu = cpu_name(),
                      .date = today(),
                      .crivo_cpu = {},
                      .baseline = options.baseline};
  about.key_bytes = static_cast<double>(keys.set.text_bytes()) / static_cast<double>(options.count);
  if (const char* cpu = std::getenv("CRIVO_CPU")) about.crivo_cpu = cpu;
  const report::TableForm form = options.form == "csv"        ? report::TableForm::csv
                                 : options.form == "markdown" ? report::TableForm::markdown
                                                              : report::TableForm::text;
  std::cout << table(about, rows, form, terminal_width()) << std::flush;
  std::size_t next = 0;
  if (!options.json.empty()) reports[next++].write(to_json(about, rows).dump(2) + "\n");
  if (!options.svg.empty()) {
    reports[next++].write(plot(about, rows, "lookup", "ns per lookup, one at a time",
                               [](const Row& row) { return row.ns(Loop::lookup); }));
    reports[next++].write(plot(about, rows, "build", "CPU ns per key, build",
                               [](const Row& row) { return row.build_cpu_ns; }));
  }
  if (!std::cout) throw Error(ErrorKind::io, "(standard output): cannot write");
  return 0;
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) {
  crivo::options::Program program("crivo-bench", crivo::bench::kDescription, crivo::bench::kFooter);
  crivo::bench::Options options;
  crivo::bench::add_options(program, options);
  return program.run(argc, argv, [&] { return crivo::bench::bench(options); });
}
