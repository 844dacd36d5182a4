// SPDX-License-Identifier: Apache-2.0
/// Builds from text keys to an index whose key hashes are anything but random, or collide.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "build/builds.hpp"
#include "crivo/build/reproduce.hpp"
#include "crivo/filter.hpp"
#include "crivo/inspect.hpp"
#include "crivo/map.hpp"
#include "crivo/mphf.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"
#include "support/sizes.hpp"

namespace crivo::test {
namespace {

struct NamedHash {
  const char* name;
  hashing::PlainHash hash;
};

/// Hashes that differ, if the keys do, in bits where no structure looks first.
constexpr NamedHash kAdversaries[] = {
    {"OneBucket",
     [](std::string_view key, std::uint64_t seed) noexcept {
       return Hash128{hash_key(key, seed).hi >> 40, hash_key(key, seed).lo};
     }},
    {"OneBucketAtTheHighEnd",
     [](std::string_view key, std::uint64_t seed) noexcept {
       return Hash128{~(hash_key(key, seed).hi >> 40), hash_key(key, seed).lo};
     }},
    {"OnePartition",
     [](std::string_view key, std::uint64_t seed) noexcept {
       const Hash128 hash = hash_key(key, seed);
       return Hash128{hash.hi >> 10 | std::uint64_t{0x155} << 54, hash.lo};
     }},
    {"EqualHighHalves",
     [](std::string_view key, std::uint64_t seed) noexcept {
       return Hash128{0x0123456789abcdef, hash_key(key, seed).lo};
     }},
    {"EqualLowHalves",
     [](std::string_view key, std::uint64_t seed) noexcept {
       return Hash128{hash_key(key, seed).hi, 0};
     }},
    {"EqualHalves",
     [](std::string_view key, std::uint64_t seed) noexcept {
       return Hash128{hash_key(key, seed).hi, hash_key(key, seed).hi};
     }},
};

class Adversary : public testing::TestWithParam<std::tuple<std::string_view, std::size_t>> {
 protected:
  std::string algorithm() const { return std::string(std::get<0>(GetParam())); }
  hashing::PlainHash hash() const { return kAdversaries[std::get<1>(GetParam())].hash; }

  /// Builds the keys 0 to n - 1 and looks all up.
  void expect_bijection(const Workshop& shop, std::uint64_t n) const {
    const Keys keys = numbered_keys(n);
    const auto path = shop.at("index");
    const BuildSummary summary = index::build_mphf(
        shop.input(keys), path, {.algorithm = algorithm()}, Workshop::options(), hash());
    EXPECT_EQ(summary.keys, n);
    EXPECT_EQ(summary.seed, 0U);
    const Mphf mphf = Mphf::open(path);
    std::vector<KeyHash> hashes;
    for (const std::string& key : keys) {
      hashes.push_back(detail::HashAccess::tagged(mphf.hash_function(), hash()(key, mphf.seed())));
    }
    std::vector<std::uint64_t> ranks(n);
    mphf.lookup(hashes, ranks);
    std::vector<char> given(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      if (ranks[i] != mphf.lookup(hashes[i]) || ranks[i] >= n || given[ranks[i]]++ != 0) {
        FAIL() << "key " << i << " has rank " << ranks[i];
      }
    }
  }
};

TEST_P(Adversary, IsAnsweredByABijection) {
  const Workshop shop;
  for (const std::uint64_t n : {0U, 1U, 2U, 63U, 256U, 257U, 1025U, 11'500U, 60'000U}) {
    SCOPED_TRACE(n);
    expect_bijection(shop, n);
  }
}

std::string adversary_name(
    const testing::TestParamInfo<std::tuple<std::string_view, std::size_t>>& info) {
  std::string name(std::get<0>(info.param));
  std::ranges::replace(name, '-', '_');
  return name + "_" + kAdversaries[std::get<1>(info.param)].name;
}

INSTANTIATE_TEST_SUITE_P(Builds, Adversary,
                         testing::Combine(testing::ValuesIn(mphf_algorithms().begin(),
                                                            mphf_algorithms().end()),
                                          testing::Range(std::size_t{0}, std::size(kAdversaries))),
                         adversary_name);

/// The bytes are the same for any number of threads, and where the hashes are not spread.
TEST(Adversaries, HaveTheSameBytesForAnyThreads) {
  const Workshop shop;
  const KeyInput input = shop.input(numbered_keys(20'000));
  for (const NamedHash& adversary : kAdversaries) {
    std::string digest;
    for (const unsigned threads : {1U, 2U, 3U}) {
      const BuildSummary summary = index::build_mphf(input, shop.at("index"), {},
                                                     Workshop::options(threads), adversary.hash);
      if (threads == 1) digest = summary.digest;
      EXPECT_EQ(summary.digest, digest) << adversary.name;
    }
  }
}

/// Keys in "01" have a half of their hash from the key in "00" beside them.
Hash128 sharing_first(std::string_view key, std::uint64_t seed) noexcept {
  const std::string_view front = key.substr(0, key.size() - 1);
  const Hash128 hash = hash_key(key, seed);
  if (!key.ends_with("01")) return hash;
  return {hash_key(std::string(front) + "0", seed).hi, hash.lo};
}
Hash128 sharing_second(std::string_view key, std::uint64_t seed) noexcept {
  const std::string_view front = key.substr(0, key.size() - 1);
  const Hash128 hash = hash_key(key, seed);
  if (!key.ends_with("01")) return hash;
  return {hash.hi, hash_key(std::string(front) + "0", seed).lo};
}

/// Keys that share a half are told apart by the other where they must be, under the first seed; and
/// where a filter looks at one half alone, both are in it.
TEST(SharedHalves, AreNoCollision) {
  const Workshop shop;
  const Keys keys = numbered_keys(60'000 / kFewer);
  for (const hashing::PlainHash hash : {sharing_first, sharing_second}) {
    for (const std::string algorithm : {"ribbon", "fuse"}) {
      const BuildSummary summary = index::build_map(
          shop.input(keys), shop.at("map"), {.algorithm = algorithm}, Workshop::options(), hash);
      EXPECT_EQ(summary.seed, 0U) << algorithm;
      const Map map = Map::open(shop.at("map"));
      for (std::uint64_t i = 0; i < keys.size(); ++i) {
        const KeyHash asked = detail::HashAccess::tagged(map.hash_function(), hash(keys[i], 0));
        ASSERT_EQ(map.lookup(asked), i) << algorithm;
      }
    }
    for (const std::string type : {"ribbon", "fuse", "bloom", "cuckoo"}) {
      const BuildSummary summary = index::build_filter(shop.input(keys), shop.at("filter"),
                                                       {.type = type}, Workshop::options(), hash);
      EXPECT_EQ(summary.seed, 0U) << type;
      EXPECT_EQ(summary.keys, keys.size()) << type;
      const Filter filter = Filter::open(shop.at("filter"));
      for (const std::string& key : keys) {
        ASSERT_TRUE(
            filter.contains(detail::HashAccess::tagged(filter.hash_function(), hash(key, 0))))
            << type;
      }
    }
  }
}

constexpr std::uint64_t kGoodSeed = 7;

/// Keys that differ in their first byte alone collide until kGoodSeed.
Hash128 colliding(std::string_view key, std::uint64_t seed) noexcept {
  return hash_key(seed < kGoodSeed ? key.substr(1) : key, seed);
}

/// As for every build: the file has the seed that made it, and what a build with that seed writes.
TEST(CollidingKeys, AreBuiltWithAnotherSeed) {
  const Workshop shop;
  Keys keys;
  Keys records;
  for (int i = 0; i < 3000; ++i) {
    keys.push_back((i % 2 == 0 ? "a" : "b") + std::to_string(i / 2));
    records.push_back("record " + std::to_string(i));
  }
  const KeyInput input = shop.input(keys);
  BuildOptions first = Workshop::options();
  first.seed = kGoodSeed - 2;
  BuildOptions good = Workshop::options();
  good.seed = kGoodSeed;
  for (const bool ignore : {false, true}) {
    first.ignore_duplicates = ignore;
    const auto mphf = index::build_mphf(input, shop.at("m"), {}, first, colliding);
    EXPECT_EQ(mphf.seed, kGoodSeed);
    EXPECT_EQ(mphf.keys, keys.size());
    EXPECT_EQ(Mphf::open(shop.at("m")).seed(), kGoodSeed);
    EXPECT_EQ(mphf.digest, build_mphf(input, shop.at("good"), {}, good).digest);
    verify_keys(shop.at("m"), input);

    const auto filter = index::build_filter(input, shop.at("f"), {}, first, colliding);
    EXPECT_EQ(Filter::open(shop.at("f")).seed(), kGoodSeed);
    EXPECT_EQ(filter.digest, build_filter(input, shop.at("good"), {}, good).digest);
    verify_keys(shop.at("f"), input);

    const KeyInput pairs = shop.pairs(keys, records);
    const auto store = index::build_store(pairs, shop.at("s"), {}, first, colliding);
    EXPECT_EQ(Store::open(shop.at("s")).seed(), kGoodSeed);
    EXPECT_EQ(store.digest, build_store(pairs, shop.at("good-s"), {}, good).digest);
    verify_keys(shop.at("s"), pairs);
    verify(shop.at("s"));
  }
}

/// What was kept under a seed that came to nothing is not gone on from.
TEST(CollidingKeys, AreBuiltWithAnotherSeedWhereABuildMayBeResumed) {
  const Workshop shop;
  const Keys keys{"a1", "b1", "a2", "a3"};
  BuildOptions first = Workshop::options();
  first.seed = kGoodSeed - 2;
  BuildOptions good = Workshop::options();
  good.seed = kGoodSeed;
  const KeyInput pairs = shop.pairs(keys, {"1", "2", "3", "4"});
  const std::string digest = build_store(pairs, shop.at("good"), {}, good).digest;
  for (const bool ignore : {false, true}) {
    first.ignore_duplicates = ignore;
    first.resume_dir = shop.at("go");
    const auto store = index::build_store(pairs, shop.at("s"), {}, first, colliding);
    EXPECT_EQ(store.digest, digest);
    EXPECT_FALSE(std::filesystem::exists(first.resume_dir));
  }
}

}  // namespace
}  // namespace crivo::test
