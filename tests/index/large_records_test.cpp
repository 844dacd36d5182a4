// SPDX-License-Identifier: Apache-2.0
// Stores of records that do not fit the memory, however long they are: what is read and written to
// build them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "crivo/build/keys.hpp"
#include "crivo/build/shards.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"
#include "support/moved_bytes.hpp"
#include "support/read_file.hpp"

namespace crivo::test {
namespace {

constexpr std::uint64_t kLargeBytes = std::uint64_t{12} << 20;  ///< of all records
constexpr std::uint64_t kMostKeys = 20'000;
constexpr std::uint64_t kBudget = std::uint64_t{10} << 20;

/// Records of so many bytes, or every eighth of them of eight times as many.
struct LargeSizes {
  std::size_t usual;
  bool some_longer = false;

  std::uint64_t keys() const {
    return std::min(kMostKeys, kLargeBytes / (usual * (some_longer ? 2 : 1) + 1));
  }
  std::string record(std::uint64_t i) const {
    std::string record(some_longer && i % 8 == 0 ? 8 * usual : usual, 'r');
    for (std::size_t at = 0; at < record.size(); at += 64)
      record[at] = static_cast<char>('a' + (i + at / 64) % 26);
    return record;
  }
};

/// What a pipe brings, or a file, whose size is known.
class LargePairs final : public KeySource {
 public:
  explicit LargePairs(LargeSizes sizes) : sizes_(sizes) {}
  std::string name() const override { return "pairs"; }
  std::optional<std::uint64_t> size() const override { return sizes_.keys(); }
  std::uint64_t bytes(std::uint64_t begin, std::uint64_t end) const override {
    return (end - begin) * (sizes_.usual + 16);
  }
  void write(std::uint64_t begin, std::uint64_t end, KeyWriter& writer) const override {
    for (; begin != end; ++begin) writer.record(std::to_string(begin), sizes_.record(begin));
  }

 private:
  LargeSizes sizes_;
};

void expect_same_trees(const std::filesystem::path& one, const std::filesystem::path& other) {
  ASSERT_EQ(std::filesystem::is_directory(one), std::filesystem::is_directory(other));
  if (!std::filesystem::is_directory(one)) {
    EXPECT_TRUE(text_of(one) == text_of(other)) << one;
    return;
  }
  for (const auto& entry : std::filesystem::directory_iterator(one))
    expect_same_trees(entry.path(), other / entry.path().filename());
}

class LargeRecords : public testing::TestWithParam<LargeSizes> {
 protected:
  /// Builds it within no bound, and within one that spills.
  using Build = std::function<void(const std::filesystem::path& output, const BuildOptions&)>;
  void expect_few_bytes(const Build& build) const {
    build(shop_.at("whole"), Workshop::options());
    BuildOptions bounded = Workshop::options();
    bounded.resources.memory = kBudget;
    const std::uint64_t before = moved_bytes();
    build(shop_.at("spilled"), bounded);
    const std::uint64_t moved = moved_bytes() - before;
    // Records are written to a file and read from it, some twice; then they are written again, as
    // parts and whole. Of
    // each key the hash and what it is found by are, too.
    constexpr std::uint64_t kKey = 1000;
    const std::uint64_t bytes = kLargeBytes + kKey * GetParam().keys();
    EXPECT_LT(moved, 6 * bytes);
    expect_same_trees(shop_.at("whole"), shop_.at("spilled"));
  }
  KeyInput pairs() const { return input_of(std::make_shared<LargePairs>(GetParam())); }

  const Workshop shop_;
};

TEST_P(LargeRecords, OfLmdbAreMovedAFewTimes) {
  expect_few_bytes([&](const auto& output, const auto& options) {
    build_store(pairs(), output, {.codec = "none"}, options);
  });
}

TEST_P(LargeRecords, OfBlocksAreMovedAFewTimes) {
  expect_few_bytes([&](const auto& output, const auto& options) {
    build_store(pairs(), output, {.backend = "flat", .codec = "zstd"}, options);
  });
}

TEST_P(LargeRecords, InOrderAreMovedAFewTimes) {
  expect_few_bytes([&](const auto& output, const auto& options) {
    build_store(pairs(), output, {.backend = "flat", .codec = "none", .ordered = true}, options);
  });
}

TEST_P(LargeRecords, OfShardsAreMovedAFewTimes) {
  expect_few_bytes([&](const std::filesystem::path& output, const BuildOptions& options) {
    const std::filesystem::path dealt = output.string() + "-dealt";
    partition_keys(pairs(), dealt, {.shards = 2, .records = true}, options);
    finish_partition(dealt, options);
    std::vector<std::filesystem::path> parts;
    for (std::uint64_t i = 0; i < 2; ++i) {
      parts.push_back(output.string() + "-" + std::to_string(i));
      build_store_part(dealt, {i, 2}, parts.back(), {.backend = "flat", .codec = "none"}, options);
    }
    merge_parts(parts, output, options);
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, LargeRecords,
                         testing::Values(LargeSizes{0}, LargeSizes{100}, LargeSizes{1'000},
                                         LargeSizes{3'000}, LargeSizes{32'000},
                                         LargeSizes{100'000, true}, LargeSizes{700'000},
                                         LargeSizes{3'000'000}),
                         [](const auto& sizes) {
                           return std::to_string(sizes.param.usual) +
                                  (sizes.param.some_longer ? "AndLonger" : "");
                         });

}  // namespace
}  // namespace crivo::test
