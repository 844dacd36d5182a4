#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <span>

#include "crivo/command.hpp"
#include "crivo/common.hpp"
#include "crivo/error.hpp"
#include "crivo/opened.hpp"
#include "crivo/values.hpp"
#include "keys/hash_keys.hpp"
#include "util/bits.hpp"

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
    const keys::UnitFraming framing = keys::UnitFraming::of_keys(format);
    keys::ChunkReader reader(paths, framing, {.in_order = true});
    Progress progress;
    keys::for_each_chunk(reader, paths, framing, {1, progress}, [&](unsigned, keys::Chunk& chunk) {
      keys::for_each_key(chunk, format, [&](std::string_view key, std::uint64_t, std::size_t) {
        keys_.push_back(key);
      });
      storage_.push_back(std::move(chunk.storage));
      chunk.storage = {};
    });
    for (std::size_t i = keys_.size(); i > 1; --i) {
      std::swap(keys_[i - 1], keys_[util::mulhi(util::mix64(i), i)]);
    }
  }

  std::span<const std::string_view> keys() const noexcept { return keys_; }

 private:
  std::deque<std::vector<char>> storage_;
  std::vector<std::string_view> keys_;
};

/// Looks a block of keys up and returns how many are (or may be) in the set.
using Lookup = std::function<std::uint64_t(std::span<const std::string_view>)>;

struct Lookups {
  Lookup single;
  Lookup batch;
};

constexpr std::size_t kBlock = 4096;

Lookups lookups_of(const Mphf& mphf) {
  return {[&mphf](std::span<const std::string_view> keys) {
            std::uint64_t found = 0;
            for (const std::string_view key : keys)
              found += mphf.lookup(key) != Mphf::kAbsent ? 1 : 0;
            return found;
          },
          [&mphf](std::span<const std::string_view> keys) {
            std::array<std::uint64_t, kBlock> ranks;
            mphf.lookup(keys, ranks);
            return static_cast<std::uint64_t>(std::count_if(
                ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(keys.size()),
                [](std::uint64_t rank) { return rank != Mphf::kAbsent; }));
          }};
}

Lookups lookups_of(const Filter& filter) {
  return {[&filter](std::span<const std::string_view> keys) {
            std::uint64_t found = 0;
            for (const std::string_view key : keys) found += filter.contains(key) ? 1 : 0;
            return found;
          },
          [&filter](std::span<const std::string_view> keys) {
            std::array<bool, kBlock> answers;
            filter.contains(keys, answers);
            return static_cast<std::uint64_t>(std::count(
                answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(keys.size()), true));
          }};
}

Lookups lookups_of(const Map& map) {
  return {[&map](std::span<const std::string_view> keys) {
            std::uint64_t found = 0;
            for (const std::string_view key : keys) found += map.lookup(key) ? 1 : 0;
            return found;
          },
          [&map](std::span<const std::string_view> keys) {
            std::array<std::uint64_t, kBlock> values;
            std::array<bool, kBlock> present;
            map.lookup(keys, values, present);
            return static_cast<std::uint64_t>(std::count(
                present.begin(), present.begin() + static_cast<std::ptrdiff_t>(keys.size()), true));
          }};
}

Lookups lookups_of(const Store& store) {
  const auto reader = std::make_shared<Store::Reader>(store);
  const auto count = [](std::uint64_t& found, const Store::Answer& answer) {
    if (answer.status == Store::Status::damaged) {
      throw Error(ErrorKind::corrupt, "damaged: a record has not its checksum");
    }
    found += answer.status == Store::Status::found ? 1 : 0;
  };
  return {[reader, count](std::span<const std::string_view> keys) {
            std::uint64_t found = 0;
            for (const std::string_view key : keys) count(found, reader->find(key));
            return found;
          },
          [reader, count](std::span<const std::string_view> keys) {
            std::uint64_t found = 0;
            reader->find(keys,
                         [&](std::size_t, const Store::Answer& answer) { count(found, answer); });
            return found;
          }};
}

struct Measured {
  double ns = 0;        ///< per lookup: the least of several rounds
  double fraction = 0;  ///< of keys that are, or may be, in the set
};

Measured measure(std::span<const std::string_view> keys, const Lookup& lookup) {
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
      found += lookup(keys.subspan(at, std::min(kBlock, keys.size() - at)));
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

void print_for_people(const Json& measured) {
  struct Row {
    const char* field;
    const char* label;
    const char* format;
    double scale = 1;
  };
  static constexpr std::array<Row, 8> kRows{{
      {"keys", "keys in the set", "%.0f"},
      {"lookup_ns", "  one at a time", "%.1f ns"},
      {"batch_ns", "  in batches", "%.1f ns"},
      {"keys_found", "  found", "%.6g %%", 100},
      {"absent_keys", "absent keys", "%.0f"},
      {"absent_lookup_ns", "  one at a time", "%.1f ns"},
      {"absent_batch_ns", "  in batches", "%.1f ns"},
      {"false_positive_rate", "  false positives", "%.3g %%", 100},
  }};
  Output out;
  for (const Row& row : kRows) {
    if (!measured.contains(row.field)) continue;
    std::array<char, 32> value{};
    std::snprintf(value.data(), value.size(), row.format,
                  row.scale * measured[row.field].get<double>());
    out.write(std::string(row.label) + std::string(18 - std::strlen(row.label), ' ') +
              value.data() + "\n");
  }
  out.flush();
}

int bench(const BenchOptions& options) {
  const Opened opened = open_any(options.path, options.open.options());
  const Lookups lookups =
      std::visit([](const auto& structure) { return lookups_of(structure); }, opened);
  const KeyFormat format = options.formats.format();
  const KeySample keys(options.keys, format);
  if (keys.keys().empty()) throw Error(ErrorKind::bad_input, "no keys to look up");

  const Measured single = measure(keys.keys(), lookups.single);
  const Measured batch = measure(keys.keys(), lookups.batch);
  Json json{{"schema", 1},
            {"lookup_ns", single.ns},
            {"batch_ns", batch.ns},
            {"keys", keys.keys().size()},
            {"keys_found", single.fraction}};
  if (!options.absent.empty()) {
    const KeySample absent(options.absent, format);
    const Measured absent_single = measure(absent.keys(), lookups.single);
    const Measured absent_batch = measure(absent.keys(), lookups.batch);
    json["absent_lookup_ns"] = absent_single.ns;
    json["absent_batch_ns"] = absent_batch.ns;
    json["false_positive_rate"] = absent_single.fraction;
    json["absent_keys"] = absent.keys().size();
  }
  if (options.reports.json) {
    print_json(json);
    return 0;
  }
  print_for_people(json);
  return 0;
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command = app.add_subcommand(
      "bench",
      "lookup cost on this machine, with the keys in memory and the hashing counted\n\n"
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
