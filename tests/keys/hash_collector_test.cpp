#include "keys/hash_collector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>
#include <string>

#include "support/hashes.hpp"
#include "util/parallel.hpp"

namespace crivo::keys {
namespace {

std::vector<Hash128> all_of(const SortedHashes& hashes) {
  const auto all = hashes.partition(0, 0);
  return {all.begin(), all.end()};
}

/// Collects `added` on 1 to 3 threads, and compares with std::map.
void expect_sorted(const std::vector<Hash128>& added) {
  std::map<Hash128, std::size_t> counts;
  for (const Hash128& hash : added) ++counts[hash];
  std::vector<Hash128> distinct;
  std::vector<Hash128> repeated;
  for (const auto& [hash, count] : counts) {
    distinct.push_back(hash);
    if (count > 1) repeated.push_back(hash);
  }
  for (const unsigned threads : {1U, 2U, 3U}) {
    util::Progress progress;
    HashCollector collector(threads);
    util::run_threads(threads, [&](unsigned thread) {
      for (std::size_t i = thread; i < added.size(); i += threads) {
        collector.writer(thread).add(added[i]);
      }
    });
    const HashCollector::Result result = collector.sort({threads, progress});
    EXPECT_EQ(result.collected, added.size());
    EXPECT_TRUE(all_of(result.hashes) == distinct) << threads;
    EXPECT_TRUE(result.repeated == repeated) << threads;
    EXPECT_EQ(progress.done(), added.size());

    collector.writer(0).add({7, 7});  // it is empty again, and of use
    EXPECT_EQ(all_of(collector.sort({threads, progress}).hashes), (std::vector<Hash128>{{7, 7}}));
  }
}

TEST(HashCollector, Sizes) {
  for (const std::uint64_t n :
       {0U, 1U, 2U, 63U, 64U, 65U, 1023U, 1024U, 1025U, 11'500U, 300'000U}) {
    expect_sorted(test::random_hashes(n));
  }
}

TEST(HashCollector, Repeats) {
  std::vector<Hash128> hashes = test::random_hashes(20'000);
  std::mt19937_64 random(5);
  for (int i = 0; i < 5000; ++i) hashes.push_back(hashes[random() % 20'000]);
  std::ranges::shuffle(hashes, random);
  expect_sorted(hashes);
}

TEST(HashCollector, AllEqual) {
  expect_sorted(std::vector<Hash128>(5000, {0, 0}));
  expect_sorted(std::vector<Hash128>(5000, {UINT64_MAX, UINT64_MAX}));
  expect_sorted({{3, 4}, {3, 4}});
}

TEST(HashCollector, EqualHighHalves) {
  std::vector<Hash128> hashes = test::random_hashes(20'000);
  for (Hash128& hash : hashes) hash.hi = 0x0123456789abcdef;
  expect_sorted(hashes);
}

TEST(HashCollector, OnePartition) {
  std::vector<Hash128> hashes = test::random_hashes(20'000);
  for (Hash128& hash : hashes) hash.hi >>= HashCollector::kPartitionBits;
  expect_sorted(hashes);
  for (Hash128& hash : hashes) hash.hi |= ~(UINT64_MAX >> HashCollector::kPartitionBits);
  expect_sorted(hashes);
}

/// All of a partition that differ fall into few of its buckets.
TEST(HashCollector, FewBuckets) {
  std::vector<Hash128> hashes = test::random_hashes(20'000);
  for (Hash128& hash : hashes) hash.hi &= 0xc00000000000ffff;
  expect_sorted(hashes);
}

TEST(HashCollector, DescendingAndAscending) {
  std::vector<Hash128> hashes = test::random_hashes(20'000);
  std::ranges::sort(hashes);
  expect_sorted(hashes);
  std::ranges::reverse(hashes);
  expect_sorted(hashes);
}

std::vector<std::uint64_t> values_of(const Collected& collected) {
  std::vector<std::uint64_t> values(collected.hashes.size());
  collected.values.copy(0, values);
  return values;
}

/// Collects hashes with values of at most `bits` bits on 1 to 3 threads, and compares with a
/// std::map that keeps of equal hashes the first by `order`.
void expect_sorted_values(const std::vector<Hash128>& added, unsigned bits) {
  std::map<Hash128, std::vector<PlacedValue>> all;
  std::vector<PlacedValue> elements;
  for (std::uint64_t i = 0; i < added.size(); ++i) {
    elements.push_back({added[i], i * 3 + 1, bits == 0 ? 0 : util::mix64(i + 1) >> (64 - bits)});
    all[added[i]].push_back(elements.back());
  }
  std::vector<Hash128> distinct;
  std::vector<Hash128> repeated;
  std::vector<std::uint64_t> first;
  std::vector<std::uint64_t> least;
  for (const auto& [hash, given] : all) {
    distinct.push_back(hash);
    if (given.size() > 1) repeated.push_back(hash);
    first.push_back(given.front().value);
    least.push_back(std::ranges::min(given, {}, &PlacedValue::value).value);
  }
  const auto check = [&](const Collected& sorted, const std::vector<std::uint64_t>& values) {
    EXPECT_EQ(sorted.collected, added.size());
    EXPECT_TRUE(all_of(sorted.hashes) == distinct);
    EXPECT_TRUE(sorted.repeated == repeated);
    EXPECT_TRUE(values_of(sorted) == values);
    const std::uint64_t largest = values.empty() ? 0 : std::ranges::max(values);
    EXPECT_EQ(sorted.values.bits(), static_cast<unsigned>(std::bit_width(largest)));
    if (values.size() > 3) {  // from the middle
      std::vector<std::uint64_t> some(values.size() - 3);
      sorted.values.copy(2, some);
      EXPECT_TRUE(std::equal(some.begin(), some.end(), values.begin() + 2));
    }
  };
  for (const unsigned threads : {1U, 2U, 3U}) {
    util::Progress progress;
    Collector<PlacedValue> placed(threads);
    Collector<HashedValue> hashed(threads);
    Collector<HashedValue> numbered(threads);
    util::run_threads(threads, [&](unsigned thread) {
      for (std::size_t i = thread; i < added.size(); i += threads) {
        placed.writer(thread).add(elements[i]);
        hashed.writer(thread).add({added[i], elements[i].value});
        numbered.writer(thread).add({added[i], elements[i].place << 40});
      }
    });
    check(placed.sort({threads, progress}), first);
    check(hashed.sort({threads, progress}), least);
    std::vector<std::uint64_t> numbers;
    for (const auto& [hash, given] : all) numbers.push_back(given.front().place / 3);
    check(numbered.sort({threads, progress},
                        [](std::span<std::uint64_t> values) {
                          for (std::uint64_t& value : values) value = (value >> 40) / 3;
                        }),
          numbers);
    hashed.writer(0).add({{7, 7}, 9});  // it is empty again, and of use
    EXPECT_EQ(values_of(hashed.sort({threads, progress})), (std::vector<std::uint64_t>{9}));
  }
}

TEST(Collector, ValuesOfAnySizeAndWidth) {
  for (const std::uint64_t n : {0U, 1U, 2U, 3U, 255U, 256U, 257U, 11'500U, 70'001U}) {
    for (const unsigned bits : {0U, 1U, 8U, 9U, 16U, 17U, 32U, 33U, 64U}) {
      if (n <= 257 || bits == 17) expect_sorted_values(test::random_hashes(n), bits);
    }
  }
}

TEST(Collector, ValuesOfRepeatedHashes) {
  std::vector<Hash128> hashes = test::random_hashes(10'000);
  std::mt19937_64 random(5);
  for (int i = 0; i < 20'000; ++i) hashes.push_back(hashes[random() % 10'000]);
  std::ranges::shuffle(hashes, random);
  expect_sorted_values(hashes, 40);
  expect_sorted_values(std::vector<Hash128>(5000, {3, 4}), 12);
}

TEST(Collector, ValuesOfHostileSets) {
  for (const std::vector<Hash128>& hashes : test::hostile_sets(5000)) {
    expect_sorted_values(hashes, 20);
  }
}

/// Partition p of 2^bits holds just the hashes that begin with p, and the partitions are the whole.
TEST(SortedHashes, Partitions) {
  std::vector<Hash128> hashes = test::random_hashes(3000);
  for (std::uint64_t p = 0; p < 16; ++p) {  // the bounds themselves
    hashes.push_back({p << 60, 0});
    hashes.push_back({(p << 60) - 1, UINT64_MAX});
  }
  const SortedHashes sorted = SortedHashes::from_unsorted(hashes);
  const std::vector<Hash128> all = all_of(sorted);
  EXPECT_EQ(sorted.size(), all.size());
  for (const unsigned bits : {0U, 1U, 4U, 9U, 12U}) {
    std::vector<Hash128> joined;
    for (std::uint64_t p = 0; p < std::uint64_t{1} << bits; ++p) {
      for (const Hash128& hash : sorted.partition(bits, p)) {
        EXPECT_EQ(util::top_bits(hash.hi, bits), p);
        joined.push_back(hash);
      }
    }
    EXPECT_TRUE(joined == all) << bits;
  }
  const std::uint64_t last = (std::uint64_t{1} << 32) - 1;
  EXPECT_EQ(sorted.partition(32, last).size(), 1U);  // the hash just below 2^64
  EXPECT_EQ(sorted.partition(32, 0).size(), 1U);
}

TEST(SortedHashes, EmptyOnes) {
  const SortedHashes none;
  EXPECT_TRUE(none.partition(0, 0).empty());
  EXPECT_TRUE(none.partition(9, 511).empty());
  EXPECT_EQ(SortedHashes::from_unsorted({}).size(), 0U);
}

TEST(SortedHashes, Move) {
  SortedHashes from = SortedHashes::from_unsorted(test::random_hashes(100));
  const std::vector<Hash128> all = all_of(from);
  const SortedHashes to = std::move(from);
  EXPECT_EQ(all_of(to), all);
}

TEST(HashCollector, TellsHowManyThereAreAtLeastBeforeItGrows) {
  std::uint64_t added = 0;
  std::vector<std::uint64_t> told;
  HashCollector collector(1, [&](std::uint64_t elements) {
    EXPECT_LE(elements, added);
    told.push_back(elements);
    if (elements > 3'000'000) throw 1;
  });
  std::mt19937_64 random(1);
  EXPECT_THROW(for (; added < 20'000'000; ++added) collector.writer(0).add({random(), random()}),
               int);
  EXPECT_LT(added, 8'000'000U);
  EXPECT_GT(told.size(), 1U);
}

}  // namespace
}  // namespace crivo::keys
