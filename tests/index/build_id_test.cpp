// SPDX-License-Identifier: Apache-2.0
// What a build id stands for: keys, values and choices, and nothing of how they were built.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "crivo/inspect.hpp"
#include "index/key_sets.hpp"

namespace crivo::test {
namespace {

class BuildIds : public testing::Test {
 protected:
  std::string mphf(const Keys& keys, const MphfOptions& options = {},
                   const BuildOptions& build = Workshop::options()) {
    build_mphf(shop_.input(keys), out_, options, build);
    return inspect(out_).build_id;
  }
  std::string filter(const FilterOptions& options) {
    build_filter(shop_.input(keys_), out_, options, Workshop::options());
    return inspect(out_).build_id;
  }
  std::string map(const Keys& keys, const Keys& values, MapOptions options = {}) {
    options.values = true;
    build_map(shop_.pairs(keys, values), out_, options, Workshop::options());
    return inspect(out_).build_id;
  }
  std::string numbers(const Keys& keys) {
    build_map(shop_.input(keys), out_, {}, Workshop::options());
    return inspect(out_).build_id;
  }
  std::string store(const Keys& keys, const Keys& records, const StoreOptions& options = {}) {
    build_store(shop_.pairs(keys, records), shop_.at("store"), options, Workshop::options());
    return inspect(shop_.at("store")).build_id;
  }

  const Workshop shop_;
  const std::filesystem::path out_ = shop_.at("out");
  const Keys keys_ = numbered_keys(2000);
};

TEST_F(BuildIds, AreTheSameHoweverItIsBuilt) {
  const std::string id = mphf(keys_);
  EXPECT_EQ(id.size(), 32U);
  EXPECT_NE(id, std::string(32, '0'));
  Keys shuffled = keys_;
  std::ranges::shuffle(shuffled, std::mt19937_64(1));
  for (const unsigned threads : {1U, 3U}) {
    EXPECT_EQ(mphf(shuffled, {}, Workshop::options(threads)), id);
  }
  shuffled.insert(shuffled.end(), keys_.begin(), keys_.begin() + 50);
  BuildOptions ignoring = Workshop::options();
  ignoring.ignore_duplicates = true;
  EXPECT_EQ(mphf(shuffled, {}, ignoring), id);
}

TEST_F(BuildIds, ChangeWithKeysSeedAndChoices) {
  std::set<std::string> ids;
  const auto expect_new = [&](const std::string& id) { EXPECT_TRUE(ids.insert(id).second) << id; };
  expect_new(mphf(keys_));
  expect_new(mphf({keys_.begin(), keys_.end() - 1}));
  Keys other = keys_;
  other.back() += "x";
  expect_new(mphf(other));
  expect_new(mphf({}));
  BuildOptions seeded = Workshop::options();
  seeded.seed = 1;
  expect_new(mphf(keys_, {}, seeded));
  seeded.keyed_hash = true;
  expect_new(mphf(keys_, {}, seeded));
  expect_new(mphf(keys_, {.algorithm = "compact"}));
  expect_new(mphf(keys_, {.algorithm = "compact", .effort = 1}));
  expect_new(mphf(keys_, {.signature_bits = 8}));
  expect_new(mphf(keys_, {.algorithm = "bdz", .hash = "jenkins"}));
  expect_new(mphf(keys_, {.algorithm = "bdz", .hash = "jenkins", .unbiased = true}));
  expect_new(filter({}));
  expect_new(filter({.fpr = 0.01}));
  expect_new(filter({.bits = 9}));
  expect_new(filter({.type = "fuse"}));
  expect_new(filter({.type = "fuse", .arity = 3}));
  expect_new(filter({.type = "bloom"}));
  expect_new(filter({.type = "bloom", .capacity = 3000}));
  expect_new(filter({.type = "bloom", .hashes = 3}));
  expect_new(filter({.type = "counting-bloom"}));
  expect_new(filter({.type = "counting-bloom", .counter_bits = 3}));
  expect_new(filter({.type = "cuckoo"}));
  expect_new(filter({.type = "cuckoo", .semi_sorted = true}));
}

TEST_F(BuildIds, ChangeWithValues) {
  std::set<std::string> ids;
  const auto expect_new = [&](const std::string& id) { EXPECT_TRUE(ids.insert(id).second) << id; };
  Keys values(keys_.size(), "5");
  expect_new(map(keys_, values));
  expect_new(map(keys_, values, {.compress = true}));
  expect_new(map(keys_, values, {.value_bits = 9}));
  values[700] = "6";
  expect_new(map(keys_, values));
  std::swap(values[700], values[701]);
  expect_new(map(keys_, values));
  expect_new(numbers(keys_));
  Keys turned = keys_;
  std::ranges::rotate(turned, turned.begin() + 1);
  expect_new(numbers(turned));  // lines have other numbers
}

/// The records of a store are told by the content id.
TEST_F(BuildIds, OfStoresAreThoseOfTheirKeys) {
  const std::string id = store(keys_, keys_);
  EXPECT_EQ(store(keys_, Keys(keys_.size(), "record")), id);
  EXPECT_NE(store(keys_, keys_, {.signature_bits = 8}), id);
}

}  // namespace
}  // namespace crivo::test
