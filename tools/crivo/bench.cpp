// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/command.hpp"
#include "crivo/common.hpp"
#include "crivo/error.hpp"
#include "crivo/index.hpp"
#include "crivo/open_mode.hpp"
#include "crivo/read_keys.hpp"
#include "crivo/values.hpp"

namespace crivo::cli {
namespace {

struct BenchOptions {
  std::string path;
  std::vector<std::string> keys;
  std::vector<std::string> absent;
  OpenModeOption open{"preload"};  // what is measured is memory, not the disk
  FormatOptions formats;
  ReportOptions reports;
};

/// Keys in memory, in a pseudo-random order.
class KeySample {
 public:
  KeySample(const std::vector<std::string>& paths, const KeyFormat& format) {
    Progress progress;
    read_keys({paths, format}, progress, [&](const KeyBlock& block) {
      std::size_t bytes = 0;
      for (const std::string_view key : block.keys) bytes += key.size();
      std::string& copy = storage_.emplace_back();
      copy.reserve(bytes);  // never moved: the keys point into it
      for (const std::string_view key : block.keys) {
        copy += key;
        keys_.emplace_back(copy.data() + copy.size() - key.size(), key.size());
      }
    });
    std::ranges::shuffle(keys_, std::mt19937_64());
  }

  std::span<const std::string_view> keys() const noexcept { return keys_; }

 private:
  std::deque<std::string> storage_;
  std::vector<std::string_view> keys_;
};

/// One of the ways to look a block of keys up: it returns how many are (or may be) in the set.
using Lookup = std::uint64_t (OpenIndex::*)(std::span<const std::string_view>);

constexpr std::size_t kBlock = 4096;

struct Measured {
  double ns = 0;        ///< per lookup: the least of several rounds
  double fraction = 0;  ///< of keys that are, or may be, in the set
};

Measured measure(OpenIndex& index, std::span<const std::string_view> keys, Lookup lookup) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRounds = 5;
  constexpr double kEnough = 3;  // seconds: for a slow lookup fewer rounds do
  Measured best;
  if (keys.empty()) return best;
  double spent = 0;
  for (int round = 0; round < kRounds && spent < kEnough; ++round) {
    std::uint64_t found = 0;
    const Clock::time_point begin = Clock::now();
    for (std::size_t at = 0; at < keys.size(); at += kBlock) {
      found += (index.*lookup)(keys.subspan(at, std::min(kBlock, keys.size() - at)));
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    spent += seconds;
    const auto count = static_cast<double>(keys.size());
    const double ns = 1e9 * seconds / count;
    if (round == 0 || ns < best.ns) best.ns = ns;
    best.fraction = static_cast<double>(found) / count;
  }
  return best;
}

/// The lookups of some keys.
struct Series {
  std::uint64_t keys = 0;
  Measured single;
  Measured batch;
};

Series measure_both(OpenIndex& index, const KeySample& sample) {
  return {sample.keys().size(), measure(index, sample.keys(), &OpenIndex::count_one_by_one),
          measure(index, sample.keys(), &OpenIndex::count_in_batches)};
}

void print_for_people(const Series& present, const std::optional<Series>& absent) {
  Output out;
  const auto row = [&](const char* label, const char* format, auto value) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%-18s", label);
    out.write(text.data());
    std::snprintf(text.data(), text.size(), format, value);
    out.write(text.data());
    out.write("\n");
  };
  const auto series = [&](const char* label, const Series& of) {
    row(label, "%.0f", static_cast<double>(of.keys));
    row("  one at a time", "%.1f ns", of.single.ns);
    row("  in batches", "%.1f ns", of.batch.ns);
  };
  series("keys in the set", present);
  row("  found", "%.6g %%", 100 * present.single.fraction);
  if (absent) {
    series("absent keys", *absent);
    row("  false positives", "%.3g %%", 100 * absent->single.fraction);
  }
  out.flush();
}

int bench(const BenchOptions& options) {
  const auto index = OpenIndex::open(options.path, options.open.options());
  const KeyFormat format = options.formats.format();
  const KeySample keys(options.keys, format);
  if (keys.keys().empty()) throw Error(ErrorKind::bad_input, "no keys to look up");

  const Series present = measure_both(*index, keys);
  std::optional<Series> absent;
  if (!options.absent.empty()) absent = measure_both(*index, KeySample(options.absent, format));
  if (!options.reports.json) {
    print_for_people(present, absent);
    return 0;
  }
  Json json{{"schema", 1},
            {"lookup_ns", present.single.ns},
            {"batch_ns", present.batch.ns},
            {"keys", present.keys},
            {"keys_found", present.single.fraction}};
  if (absent) {
    json["absent_lookup_ns"] = absent->single.ns;
    json["absent_batch_ns"] = absent->batch.ns;
    json["false_positive_rate"] = absent->single.fraction;
    json["absent_keys"] = absent->keys;
  }
  print_json(json);
  return 0;
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand(
      "bench",
      "measure lookups on this machine\n\n"
      "The keys are in memory; hashing them is part of the time.\n"
      "Example: crivo bench urls.crv --keys urls.txt --absent others.txt --json");
  command->add_option("PATH", options->path, "an index file, or a store's directory")
      ->required()
      ->transform(mapped_path());
  command->add_option("--keys", options->keys, "files of keys in the set")->required();
  command->add_option("--absent", options->absent, "files of keys outside the set");
  options->open.add_to(*command);
  options->formats.add_to(*command);
  options->reports.add_to(*command);
  command->callback([options, &action] { action = [options] { return bench(*options); }; });
}

}  // namespace crivo::cli
