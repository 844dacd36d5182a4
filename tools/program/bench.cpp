// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/error.hpp"
#include "crivo/index.hpp"
#include "program/command.hpp"
#include "program/common.hpp"
#include "program/input_paths.hpp"
#include "program/lookup_times.hpp"
#include "program/open_mode.hpp"
#include "program/values.hpp"

namespace crivo::cli {
namespace {

struct BenchOptions {
  std::string path;
  std::vector<std::string> keys;
  std::vector<std::string> absent;
  bool cold = false;
  OpenModeOption open{"preload"};  // what is measured is memory, not the disk
  FormatOptions formats;
  ReportOptions reports;
};

/// The lookups of some keys.
struct Series {
  std::uint64_t keys = 0;
  double fraction = 0;  ///< of keys that are, or may be, in the set
  Times single;
  Times batch;
};

/// Each way is timed after a look at all keys, which warms what it needs.
Series measure(OpenIndex& index, const KeySample& sample) {
  Series series;
  series.keys = sample.keys().size();
  series.fraction = found_in(index, sample.keys(), count_one_by_one);
  series.single = time_rounds(index, sample.timed(), count_one_by_one);
  found_in(index, sample.timed(), count_in_batches);
  series.batch = time_rounds(index, sample.timed(), count_in_batches);
  return series;
}

/// Measures the keys of a sample one by one right after the index is opened: mapped, so that the
/// lookups fetch it.
Times measure_cold(const BenchOptions& options, std::span<const std::string_view> keys) {
  const auto index = OpenIndex::open(options.path, {OpenMode::mapped});
  return time_first_touch(*index, keys);
}

struct BenchReport {
  std::optional<Times> cold;
  Series present;
  std::optional<Series> absent;
};

void print_row(Output& out, const char* label, const std::string& text) {
  std::array<char, 64> left{};
  std::snprintf(left.data(), left.size(), "%-18s", label);
  out.write(left.data());
  out.write(text + "\n");
}

std::string formatted(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

/// The least of the rounds, and how far the others are from it.
std::string text_of_rounds(const Times& times) {
  return formatted("%.1f ns", times.least) + formatted(" (median %.1f", times.median) +
         formatted(", quartiles %.1f apart, ", times.spread) + std::to_string(times.count) +
         " rounds)";
}

void print_series(Output& out, const char* label, const Series& series) {
  print_row(out, label, std::to_string(series.keys));
  print_row(out, "  one at a time", text_of_rounds(series.single));
  print_row(out, "  in batches", text_of_rounds(series.batch));
}

void print_for_people(const BenchReport& report) {
  Output out;
  if (report.cold) {
    print_row(out, "first touch",
              formatted("%.0f ns", report.cold->median) +
                  formatted(" (median of %.0f lookups", static_cast<double>(report.cold->count)) +
                  formatted(", quartiles %.0f apart", report.cold->spread) +
                  formatted(", at most %.0f)", report.cold->most));
  }
  print_series(out, "keys in the set", report.present);
  print_row(out, "  found", formatted("%.6g %%", 100 * report.present.fraction));
  if (report.absent) {
    print_series(out, "absent keys", *report.absent);
    print_row(out, "  false positives", formatted("%.3g %%", 100 * report.absent->fraction));
  }
  out.flush();
}

/// `prefix` ("absent_") is that of the names of the times.
void put_series(Json& json, const std::string& prefix, const Series& series) {
  json[prefix + "lookup_ns"] = series.single.least;
  json[prefix + "lookup_median_ns"] = series.single.median;
  json[prefix + "lookup_spread_ns"] = series.single.spread;
  json[prefix + "batch_ns"] = series.batch.least;
  json[prefix + "batch_median_ns"] = series.batch.median;
  json[prefix + "batch_spread_ns"] = series.batch.spread;
}

Json bench_json(const BenchReport& report) {
  Json json{{"schema", 1}};
  put_series(json, "", report.present);
  json["keys"] = report.present.keys;
  json["keys_found"] = report.present.fraction;
  if (report.absent) {
    put_series(json, "absent_", *report.absent);
    json["false_positive_rate"] = report.absent->fraction;
    json["absent_keys"] = report.absent->keys;
  }
  if (report.cold) {
    json["first_touch_lookups"] = report.cold->count;
    json["first_touch_median_ns"] = report.cold->median;
    json["first_touch_spread_ns"] = report.cold->spread;
    json["first_touch_most_ns"] = report.cold->most;
  }
  return json;
}

int bench(const BenchOptions& options) {
  if (options.keys.empty())
    throw Error(ErrorKind::usage, "--keys FILE (or --files-from FILE) is required");
  const KeyFormat format = options.formats.format();
  const KeySample keys(options.keys, format);
  if (keys.keys().empty()) throw Error(ErrorKind::bad_input, "no keys to look up");

  BenchReport report;
  if (options.cold) report.cold = measure_cold(options, keys.timed());
  const auto index = OpenIndex::open(options.path, options.open.options());
  report.present = measure(*index, keys);
  if (!options.absent.empty()) report.absent = measure(*index, KeySample(options.absent, format));
  if (options.reports.json) {
    print_json(bench_json(report));
  } else {
    print_for_people(report);
  }
  return 0;
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand(
      "bench",
      "measure lookups on this machine\n\n"
      "Keys are in memory, in the order of the lookups; their hashing counts. Each figure is "
      "the\nCPU time of the quickest of several rounds, after an untimed one. At most 2^20 keys "
      "are\ntimed.\nExample: crivo bench urls.crv --keys urls.txt --absent others.txt --json");
  command->add_option("PATH", options->path, "an index file, or a store's directory")
      ->required()
      ->transform(mapped_path());
  command->add_option("--keys", options->keys, "files of keys in the set");
  add_files_from(*command, options->keys);
  command->add_option("--absent", options->absent, "files of keys outside the set");
  command->add_flag("--cold", options->cold,
                    "also time the first lookups of a newly mapped file (which the system may have "
                    "in its cache)");
  options->open.add_to(*command);
  options->formats.add_to(*command);
  options->reports.add_to(*command);
  command->callback([options, &action] { action = [options] { return bench(*options); }; });
}

}  // namespace crivo::cli
