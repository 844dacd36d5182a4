// SPDX-License-Identifier: Apache-2.0
// crivo-bench-filter-sets: filter sets of groups that are drawn in the process, in both layouts,
// beside one filter of all their pairs.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/clock.hpp"
#include "crivo/build/build.hpp"
#include "crivo/filter_set.hpp"

namespace crivo::bench {
namespace {

constexpr int kRounds = 7;
constexpr std::size_t kAsked = 200;

/// Groups of sizes from `least` to `most`, whose logarithms are uniform.
struct Groups {
  std::vector<std::uint64_t> sizes;
  std::uint64_t keys = 0;

  Groups(std::size_t groups, double least, double most) : sizes(groups) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<> part(0, 1);
    for (std::uint64_t& size : sizes) {
      size = static_cast<std::uint64_t>(std::llround(least * std::pow(most / least, part(random))));
      keys += size;
    }
  }
  static std::string name(std::size_t group) { return "part-" + std::to_string(group); }
};

/// Hands over the keys of all groups, with or without the names of these.
class GroupedKeys final : public KeySource {
 public:
  GroupedKeys(const Groups& groups, bool with_names) : groups_(groups), with_names_(with_names) {}

  bool next(KeyWriter& writer) override {
    for (int i = 0; i < kAtOnce && group_ < groups_.sizes.size(); ++i) {
      const std::uint64_t key = random_();
      const std::string_view text(reinterpret_cast<const char*>(&key), sizeof key);
      if (with_names_) {
        writer.record(text, Groups::name(group_));
      } else {
        writer.key(text);
      }
      if (++written_ == groups_.sizes[group_]) written_ = 0, ++group_;
    }
    return group_ < groups_.sizes.size();
  }

 private:
  static constexpr int kAtOnce = 1 << 16;

  const Groups& groups_;
  bool with_names_;
  std::mt19937_64 random_{2};
  std::size_t group_ = 0;
  std::uint64_t written_ = 0;
};

/// The CPU time of all threads.
template <typename Work>
double seconds_of(Work&& work) {
  const double begin = process_cpu_ns();
  work();
  return (process_cpu_ns() - begin) / 1e9;
}

/// Prints what a set of the groups takes: its bytes without names, of the entropy bound; a key
/// asked of all groups; the candidates, of the designed rate.
void print_set(const Groups& groups, double fpr, const std::filesystem::path& path,
               const char* what, double build_ratio) {
  FilterSet set = FilterSet::open(path);
  double open = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round)
    open = std::min(open, seconds_of([&] { set = FilterSet::open(path); }));
  std::uint64_t name_bytes = 0;
  for (std::size_t g = 0; g < groups.sizes.size(); ++g) name_bytes += Groups::name(g).size();
  const double bits = 8 * static_cast<double>(std::filesystem::file_size(path) - name_bytes);
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> bitmap(set.bitmap_words());
  std::uint64_t found = 0;
  double one = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kRounds; ++round) {
    one = std::min(one, seconds_of([&] {
                          for (std::size_t i = 0; i < kAsked; ++i) {
                            set.groups_of(random(), bitmap);
                            for (const std::uint64_t word : bitmap)
                              found += static_cast<std::uint64_t>(std::popcount(word));
                          }
                        }) / kAsked);
  }
  const auto asked = static_cast<double>(kRounds * kAsked * groups.sizes.size());
  std::printf("| %zu | %s | %.1f | %.3f | %.3f | %.2f | %.3f | %.1f | %.2f |\n",
              groups.sizes.size(), what, static_cast<double>(groups.keys) / 1e6,
              bits / (static_cast<double>(groups.keys) * -std::log2(fpr)), one * 1e3,
              one * 1e9 / static_cast<double>(groups.sizes.size()),
              static_cast<double>(found) / (asked * fpr), open * 1e6, build_ratio);
}

int measure_sets(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: crivo-bench-filter-sets GROUPS LEAST MOST RATE FOLDER\n");
    return 2;
  }
  const Groups groups(std::stoul(argv[1]), std::stod(argv[2]), std::stod(argv[3]));
  const double fpr = std::stod(argv[4]);
  const std::filesystem::path folder = argv[5];
  BuildOptions options;
  options.replace = true;
  options.ignore_duplicates = true;
  const auto input = [&](bool with_names) {
    return input_of(std::make_shared<GroupedKeys>(groups, with_names));
  };
  const double filter = seconds_of(
      [&] { (void)build_filter(input(false), folder / "one.crv", {.fpr = fpr}, options); });
  std::printf(
      "| groups | filters | million keys | of the bound | one key, all, ms | ns a group "
      "| candidates, of the rate | open, us | build, of one filter's |\n");
  std::printf("|---:|---|---:|---:|---:|---:|---:|---:|---:|\n");
  const auto measure = [&](const char* what, const FilterSetOptions& set) {
    const std::filesystem::path path = folder / "set.crv";
    const double build =
        seconds_of([&] { (void)build_filter_set(input(true), path, set, options); });
    print_set(groups, fpr, path, what, build / filter);
  };
  measure("rows, ribbon", {.fpr = fpr});
  measure("rows, bloom", {.type = "bloom", .fpr = fpr});
  measure("blocks, bloom", {.type = "bloom", .layout = FilterSetLayout::blocks, .fpr = fpr});
  return 0;
}

}  // namespace
}  // namespace crivo::bench

int main(int argc, char** argv) {
  try {
    return crivo::bench::measure_sets(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "crivo-bench-filter-sets: %s\n", error.what());
    return 1;
  }
}
