// SPDX-License-Identifier: Apache-2.0
// Keys come out of the stream sorted, whatever their number, values and hashes.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <map>
#include <random>
#include <string>

#include "base/parallel.hpp"
#include "stream/sorted_hashes.hpp"
#include "stream/streamed_keys.hpp"
#include "support/errors.hpp"
#include "support/hashes.hpp"
#include "support/temp_directory.hpp"

namespace crivo::stream {
namespace {

std::vector<Hash128> all_of(const SortedHashes& hashes) {
  const auto all = hashes.all().hashes;
  return {all.begin(), all.end()};
}

struct Set {
  std::vector<Hash128> hashes;
  std::vector<std::uint64_t> values;
};

/// Whether `some` is what `all` holds from its first key on.
bool is_part_of(const Set& all, const KeySlice& some) {
  const std::size_t size = some.hashes.size();
  if (some.first > all.hashes.size() || size > all.hashes.size() - some.first) return false;
  if (some.values.size() != (all.values.empty() ? 0 : size)) return false;
  const auto first = static_cast<std::ptrdiff_t>(some.first);
  return std::ranges::equal(some.hashes, std::span(all.hashes).subspan(some.first, size)) &&
         std::equal(some.values.begin(), some.values.end(), all.values.begin() + first);
}

/// Whether the keys are these by partitions of 2^bits.
bool has_by_partitions(const HashSource& keys, unsigned bits, const base::BuildContext& context,
                       const Set& expected) {
  std::atomic<bool> same = true;
  std::uint64_t next = 0;
  std::uint64_t first = 0;
  keys.for_each_partition(
      bits, {}, context,
      [&](std::uint64_t p, const KeySlice& some) {
        // They ascend, as those do that they equal: the first and the last show where all lie.
        if (!is_part_of(expected, some) ||
            (!some.hashes.empty() && (base::top_bits(some.hashes.front().hi, bits) != p ||
                                      base::top_bits(some.hashes.back().hi, bits) != p))) {
          same = false;
        }
        return std::pair<std::uint64_t, std::uint64_t>(some.first, some.hashes.size());
      },
      [&](std::uint64_t p, const std::pair<std::uint64_t, std::uint64_t>& part) {
        EXPECT_EQ(p, next++);
        EXPECT_EQ(part.first, first);
        first += part.second;
      });
  EXPECT_EQ(next, std::uint64_t{1} << bits);
  return same && first == expected.hashes.size();
}

/// Streams `hashed keys` on one thread and on 3, in memory and spilled, and compares what comes out
/// with `expected`; `repeated` are the hashes that are there more often than once.
template <typename HashedKey>
void expect_streamed(const std::vector<HashedKey>& hashed_keys, const Set& expected,
                     const std::vector<Hash128>& repeated, const NumberValues& number = {}) {
  const test::TempDirectory directory;
  const KeySums sums = sums_of({expected.hashes, expected.values, 0});
  for (const unsigned threads : {1U, 3U}) {
    for (const unsigned bits : {0U, 6U}) {
      for (const bool spilled : {false, true}) {
        base::Progress progress;
        const base::BuildContext context{threads, progress};
        const std::uint64_t least = least_stream_bytes(threads, bits);
        KeyStream<HashedKey> stream({.threads = threads,
                                     .memory_bytes = spilled ? least : UINT64_MAX,
                                     .temp_dir = directory.path(),
                                     .partition_bits = bits});
        base::run_threads(threads, [&](unsigned thread) {
          for (std::size_t i = thread; i < hashed_keys.size(); i += threads) {
            stream.writer(thread).add(hashed_keys[i]);
          }
        });
        Totals totals = stream.finish();
        EXPECT_EQ(totals.hashed_keys, hashed_keys.size());
        if (hashed_keys.size() * sizeof(HashedKey) < least / 2) {
          EXPECT_EQ(stream.temp_bytes(), 0U);
        } else if (hashed_keys.size() * sizeof(HashedKey) > 2 * least && spilled) {
          EXPECT_GE(stream.temp_bytes(), hashed_keys.size() * sizeof(HashedKey));
        }
        StreamedKeys<HashedKey> keys(stream, std::move(totals), number, 1 << 20);
        if (!repeated.empty()) {
          EXPECT_EQ(keys.size(), hashed_keys.size());
          EXPECT_THROW(has_by_partitions(keys, bits, context, expected), RepeatedHashes);
          EXPECT_THROW((void)keys.whole(context), RepeatedHashes);
        }
        if (!repeated.empty() || spilled) {
          EXPECT_EQ(keys.drop_repeats(context), repeated);
        }
        EXPECT_EQ(keys.size(), expected.hashes.size());
        const std::uint64_t most = expected.values.empty() ? 0 : std::ranges::max(expected.values);
        EXPECT_EQ(keys.value_bits(), static_cast<unsigned>(std::bit_width(most)));
        for (const unsigned cut : {0U, 2U, 9U}) {
          EXPECT_TRUE(has_by_partitions(keys, cut, context, expected)) << cut;
          EXPECT_TRUE(keys.sums() == sums) << cut;
        }
        keys.keep_order();
        for (const unsigned cut : {1U, 9U, 0U}) {
          EXPECT_TRUE(has_by_partitions(keys, cut, context, expected)) << cut << ", in order";
        }
        const KeySlice whole = keys.whole(context);
        EXPECT_TRUE(whole.hashes.size() == expected.hashes.size() && is_part_of(expected, whole));
        EXPECT_TRUE(has_by_partitions(keys, 7, context, expected)) << "after whole()";
      }
    }
  }
}

/// They tell sets apart, and are those of the parts together.
TEST(KeySums, ChangeWithEveryKeyAndValue) {
  const std::vector<Hash128> hashes = test::random_hashes(100);
  const std::vector<std::uint64_t> values(100, 7);
  const KeySlice all{hashes, values, 0};
  const KeySums sums = sums_of(all);
  KeySums parts = sums_of(all.part(30, 70));
  EXPECT_TRUE((parts += sums_of(all.part(0, 30))) == sums);
  EXPECT_FALSE(sums_of({hashes, {}, 0}) == sums);
  EXPECT_FALSE(sums_of(all.part(0, 99)) == sums);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    std::vector<Hash128> other = hashes;
    ++other[i].hi;
    EXPECT_FALSE(sums_of({other, values, 0}) == sums);
    for (const std::uint64_t value : {6UL, 1UL << 63 | 7, 8UL, ~0UL}) {
      std::vector<std::uint64_t> changed = values;
      changed[i] = value;
      EXPECT_FALSE(sums_of({hashes, changed, 0}) == sums);
    }
  }
}

/// The same of hashes alone, against std::map.
void expect_sorted(const std::vector<Hash128>& added) {
  std::map<Hash128, std::size_t> counts;
  for (const Hash128& hash : added) ++counts[hash];
  Set distinct;
  std::vector<Hash128> repeated;
  for (const auto& [hash, count] : counts) {
    distinct.hashes.push_back(hash);
    if (count > 1) repeated.push_back(hash);
  }
  expect_streamed(added, distinct, repeated);
}

TEST(KeyStream, Sizes) {
  for (const std::uint64_t n : {0U, 1U, 2U, 63U, 64U, 65U, 127U, 128U, 129U, 11'500U, 300'000U}) {
    expect_sorted(test::random_hashes(n));
  }
}

TEST(KeyStream, Repeats) {
  std::vector<Hash128> hashes = test::random_hashes(20'000);
  std::mt19937_64 random(5);
  for (int i = 0; i < 5000; ++i) hashes.push_back(hashes[random() % 20'000]);
  std::ranges::shuffle(hashes, random);
  expect_sorted(hashes);
}

TEST(KeyStream, AllEqual) {
  expect_sorted(std::vector<Hash128>(5000, {0, 0}));
  expect_sorted(std::vector<Hash128>(5000, {UINT64_MAX, UINT64_MAX}));
  expect_sorted({{3, 4}, {3, 4}});
}

TEST(KeyStream, EqualHighHalves) {
  std::vector<Hash128> hashes = test::random_hashes(20'000);
  for (Hash128& hash : hashes) hash.hi = 0x0123456789abcdef;
  expect_sorted(hashes);
}

TEST(KeyStream, OnePartition) {
  std::vector<Hash128> hashes = test::random_hashes(20'000);
  for (Hash128& hash : hashes) hash.hi >>= 6;
  expect_sorted(hashes);
  for (Hash128& hash : hashes) hash.hi |= ~(UINT64_MAX >> 6);
  expect_sorted(hashes);
}

/// All of a partition that differ fall into few of its buckets.
TEST(KeyStream, FewBuckets) {
  std::vector<Hash128> hashes = test::random_hashes(20'000);
  for (Hash128& hash : hashes) hash.hi &= 0xc00000000000ffff;
  expect_sorted(hashes);
}

TEST(KeyStream, DescendingAndAscending) {
  std::vector<Hash128> hashes = test::random_hashes(20'000);
  std::ranges::sort(hashes);
  expect_sorted(hashes);
  std::ranges::reverse(hashes);
  expect_sorted(hashes);
}

/// Streams hashes with values of at most `bits` bits, and compares with a std::map that keeps of
/// equal hashes the first by `order`.
void expect_sorted_values(const std::vector<Hash128>& added, unsigned bits) {
  std::map<Hash128, std::vector<PlacedValue>> all;
  std::vector<PlacedValue> placed;
  std::vector<HashedValue> hashed;
  std::vector<HashedValue> numbered;
  for (std::uint64_t i = 0; i < added.size(); ++i) {
    placed.push_back({added[i], i * 3 + 1, bits == 0 ? 0 : base::mix64(i + 1) >> (64 - bits)});
    hashed.push_back({added[i], placed.back().value});
    numbered.push_back({added[i], placed.back().place << 40});
    all[added[i]].push_back(placed.back());
  }
  Set first;
  Set least;
  Set numbers;
  std::vector<Hash128> repeated;
  for (const auto& [hash, given] : all) {
    if (given.size() > 1) repeated.push_back(hash);
    first.hashes.push_back(hash);
    first.values.push_back(given.front().value);
    least.values.push_back(std::ranges::min(given, {}, &PlacedValue::value).value);
    numbers.values.push_back(given.front().place / 3);
  }
  least.hashes = numbers.hashes = first.hashes;
  expect_streamed(placed, first, repeated);
  expect_streamed(hashed, least, repeated);
  expect_streamed(numbered, numbers, repeated, [](std::span<std::uint64_t> values) {
    for (std::uint64_t& value : values) value = (value >> 40) / 3;
  });
}

TEST(KeyStream, ValuesOfAnySizeAndWidth) {
  for (const std::uint64_t n : {0U, 1U, 2U, 3U, 255U, 256U, 257U, 11'500U, 70'001U}) {
    for (const unsigned bits : {0U, 1U, 8U, 9U, 16U, 17U, 32U, 33U, 64U}) {
      if (n <= 3 || bits == 17) expect_sorted_values(test::random_hashes(n), bits);
    }
  }
}

TEST(KeyStream, ValuesOfRepeatedHashes) {
  std::vector<Hash128> hashes = test::random_hashes(10'000);
  std::mt19937_64 random(5);
  for (int i = 0; i < 20'000; ++i) hashes.push_back(hashes[random() % 10'000]);
  std::ranges::shuffle(hashes, random);
  expect_sorted_values(hashes, 40);
  expect_sorted_values(std::vector<Hash128>(5000, {3, 4}), 12);
}

TEST(KeyStream, ValuesOfHostileSets) {
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
        EXPECT_EQ(base::top_bits(hash.hi, bits), p);
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

TEST(KeyStream, TellsHowManyThereAreAtLeast) {
  std::uint64_t added = 0;
  std::vector<std::uint64_t> told;
  KeyStream<Hash128> stream({.grown = [&](std::uint64_t hashed_keys) {
    EXPECT_LE(hashed_keys, added);
    told.push_back(hashed_keys);
    if (hashed_keys > 3'000'000) throw 1;
  }});
  std::mt19937_64 random(1);
  EXPECT_THROW(for (; added < 20'000'000; ++added) stream.writer(0).add({random(), random()}), int);
  EXPECT_LT(added, 8'000'000U);
  EXPECT_GT(told.size(), 1U);
}

TEST(KeyStream, NamesADirectoryThatCannotBeSpilledTo) {
  KeyStream<Hash128> stream({.memory_bytes = least_stream_bytes(1, 4),
                             .temp_dir = "/nonexistent-directory",
                             .partition_bits = 4});
  std::mt19937_64 random(1);
  const std::string message = test::error_of(ErrorKind::io, [&] {
    for (int i = 0; i < 1'000'000; ++i) stream.writer(0).add({random(), random()});
  });
  EXPECT_NE(message.find("/nonexistent-directory"), std::string::npos) << message;
}

TEST(KeyStream, RefusesLessMemoryThanItsBlocksInWork) {
  test::error_of(ErrorKind::usage, [] {
    KeyStream<Hash128> stream(
        {.threads = 2, .memory_bytes = least_stream_bytes(2, 5) - 1, .partition_bits = 5});
  });
}

TEST(KeyStream, PartitionsGrowWithTheSet) {
  EXPECT_EQ(partition_bits_for(0), 0U);
  EXPECT_EQ(partition_bits_for((1 << 14) - 1), 0U);
  EXPECT_EQ(partition_bits_for(1 << 14), 1U);
  EXPECT_EQ(partition_bits_for(100'000'000), 13U);
  EXPECT_EQ(partition_bits_for(UINT64_MAX - 1), 13U);
  EXPECT_EQ(partition_bits_for(UINT64_MAX), 11U);
}

/// Fewer partitions where little memory would give each of them short extents; but some of them fit
/// memory at once, and what their blocks take at least does.
TEST(KeyStream, PartitionsFitTheMemory) {
  constexpr std::uint64_t kMiB = 1 << 20;
  EXPECT_EQ(partition_bits_for(100'000'000, 16, 2, 2000 * kMiB), 13U);
  EXPECT_EQ(partition_bits_for(100'000'000, 16, 2, 224 * kMiB), 11U);
  EXPECT_EQ(partition_bits_for(100'000'000, 16, 2, 32 * kMiB), 9U);
  EXPECT_EQ(partition_bits_for(10'000'000, 16, 2, 32 * kMiB), 9U);
  EXPECT_EQ(partition_bits_for(1'000'000, 16, 2, 32 * kMiB), partition_bits_for(1'000'000));
  EXPECT_EQ(partition_bits_for(UINT64_MAX, 16, 2, 224 * kMiB), 11U);
  for (const std::uint64_t n : {0U, 1000U, 1'000'000U, 1'000'000'000U}) {
    for (std::uint64_t memory = 16 * kMiB; memory < 4096 * kMiB; memory *= 2) {
      const unsigned bits = partition_bits_for(n, 24, 8, memory);
      EXPECT_LE(least_stream_bytes(8, bits), memory) << n;
    }
  }
}

}  // namespace
}  // namespace crivo::stream
