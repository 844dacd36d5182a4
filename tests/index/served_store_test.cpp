// SPDX-License-Identifier: Apache-2.0
// A store whose parts are served unmerged: every way to ask it gives the merged store's answers.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "crivo/build/shards.hpp"
#include "crivo/inspect.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"
#include "support/sizes.hpp"

namespace crivo::test {
namespace {

constexpr std::uint64_t kShards = 3;

class ServedStore : public testing::TestWithParam<StoreOptions> {
 protected:
  static BuildOptions options() {
    BuildOptions options = Workshop::options();
    options.replace = true;
    return options;
  }
  /// The parts of the keys with these records; then `served` and `merged` are of them.
  void build(const Keys& records) const {
    partition_keys(shop_.pairs(keys_, records), shop_.at("dealt"), {.records = true}, options());
    finish_partition(shop_.at("dealt"), options());
    // Parts of another build stay where they are.
    const std::string folder = "parts" + records.front();
    std::filesystem::create_directories(shop_.at(folder));
    std::vector<std::filesystem::path> parts;
    for (std::uint64_t i = 0; i < kShards; ++i) {
      parts.push_back(shop_.at(folder) / std::to_string(i));
      build_store_part(shop_.at("dealt"), {i, kShards}, parts.back(), GetParam(), options());
    }
    write_manifest(parts, served_, options());
    merge_parts(parts, shop_.at("merged"), options());
  }
  /// Those of numbers of keys, some long.
  Keys records(const std::string& first) const {
    Keys records{first};
    for (std::size_t i = 1; i < keys_.size(); ++i)
      records.push_back(std::string(i % 100 == 0 ? 6000 : i % 50, 'r') + std::to_string(i));
    return records;
  }
  /// Keys of the set in disorder, some more often than others, and keys that are not of it.
  Keys asked() const {
    Keys asked = numbered_keys(2000 / kFewer, 1'000'000);
    for (std::size_t i = 0; i < keys_.size(); ++i) asked.insert(asked.end(), i % 3, keys_[i]);
    std::ranges::shuffle(asked, std::mt19937_64(1));
    return asked;
  }

  const Workshop shop_;
  const Keys keys_ = numbered_keys(6000 / kFewer);
  const std::filesystem::path served_ = shop_.at("served");
};

TEST_P(ServedStore, AnswersTheSameAsTheMergedOne) {
  build(records("1"));
  const Keys keys = asked();
  const Store merged = Store::open(shop_.at("merged"));
  Store::Reader right(merged);
  for (const OpenMode mode : {OpenMode::mapped, OpenMode::preload, OpenMode::copy}) {
    const Store served = Store::open(served_, {mode});
    EXPECT_EQ(served.size(), keys_.size());
    EXPECT_EQ(served.info().build_id, merged.info().build_id);
    Store::Reader reader(served);
    std::size_t next = 0;
    reader.find(views(keys), [&](std::size_t i, const Store::Answer& answer) {
      ASSERT_EQ(i, next++);
      const Store::Answer expected = right.find(keys[i]);
      ASSERT_EQ(answer.status, expected.status) << i;
      ASSERT_EQ(answer.record, expected.record) << i;
    });
    EXPECT_EQ(next, keys.size());
    std::vector<std::string> found(keys.size());
    served.find_all(
        views(keys), [&](std::size_t i, const Store::Answer& answer) { found[i] = answer.record; },
        2);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Store::Answer alone = reader.find(keys[i]);
      ASSERT_EQ(alone.status, right.find(keys[i]).status) << i;
      ASSERT_EQ(found[i], alone.record) << i;
    }
    served.verify();
  }
  std::vector<std::pair<std::string, std::string>> of_served;
  std::vector<std::pair<std::string, std::string>> of_merged;
  Store::open(served_).for_each(
      [&](std::string_view key, std::string_view record) { of_served.emplace_back(key, record); });
  merged.for_each(
      [&](std::string_view key, std::string_view record) { of_merged.emplace_back(key, record); });
  EXPECT_EQ(of_served, of_merged);
}

TEST_P(ServedStore, IsRefreshed) {
  build(records("1"));
  Store store = Store::open(served_);
  EXPECT_FALSE(store.refresh());
  Store::Reader first(store);
  build(records("2"));
  EXPECT_TRUE(store.refresh());
  EXPECT_FALSE(store.refresh());
  Store::Reader second(store);
  EXPECT_EQ(first.find(keys_[0]).record, "1");
  EXPECT_EQ(second.find(keys_[0]).record, "2");
  std::filesystem::remove(served_);
  EXPECT_FALSE(store.refresh());
}

TEST_P(ServedStore, IsSealed) {
  build(records("1"));
  EXPECT_NE(error_of(ErrorKind::usage, [&] { Store::Writer{served_}; }).find("a manifest"),
            std::string::npos);
  EXPECT_NE(error_of(ErrorKind::usage, [&] { Store::open(shop_.at("dealt") / "totals.crv"); })
                .find("not a store"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Codecs, ServedStore,
                         testing::Values(StoreOptions{.backend = "lmdb", .codec = "zstd"},
                                         StoreOptions{.backend = "flat", .codec = "tokens12"},
                                         StoreOptions{.algorithm = "tiny", .codec = "none"}),
                         [](const auto& test) { return test.param.codec; });

}  // namespace
}  // namespace crivo::test
