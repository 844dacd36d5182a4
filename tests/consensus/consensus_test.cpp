// SPDX-License-Identifier: Apache-2.0
// Functions of `tiny` are bijections at sizes around their limits, and small.

#include "structures/consensus/consensus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "crivo/error.hpp"
#include "stream/sorted_hashes.hpp"
#include "structures/consensus/build/part.hpp"
#include "support/digest.hpp"
#include "support/functions.hpp"
#include "support/hashes.hpp"
#include "support/sanitizers.hpp"
#include "support/spilled_keys.hpp"

namespace crivo::consensus {
namespace {

using test::random_hashes;

base::Bytes build_section(const stream::HashSource& keys, unsigned threads = 1,
                          std::size_t effort = 0) {
  base::Progress progress;
  base::MemorySink sink;
  progress.begin("mphf", keys.size());
  crivo::build(*plan(kEfforts[effort], keys.size()), keys, {threads, progress}, sink);
  EXPECT_EQ(progress.done(), keys.size());
  return sink.take();
}

base::Bytes build_section(const std::vector<Hash128>& hashes, unsigned threads = 1,
                          std::size_t effort = 0) {
  return build_section(stream::SortedHashes::from_unsorted(hashes), threads, effort);
}

testing::AssertionResult is_bijection(const base::Bytes& section,
                                      const std::vector<Hash128>& hashes) {
  return test::is_bijection(*open(section), hashes);
}

constexpr std::uint64_t kBucket = 2048;
constexpr std::uint64_t kPartition = 370'727;  ///< keys in the mean, at most

TEST(Consensus, BijectionAroundBucketsAndPartitions) {
  for (const std::uint64_t n :
       {kBucket - 1, kBucket, kBucket + 1, 2 * kBucket, 3 * kBucket + 300, kPartition - 1,
        kPartition, kPartition + 1, 2 * kPartition + 12 * kBucket + 77}) {
    const auto hashes = random_hashes(n, n);
    ASSERT_TRUE(is_bijection(build_section(hashes), hashes)) << "n = " << n;
  }
}

double bits_per_key(const base::Bytes& section, const std::vector<Hash128>& hashes) {
  return 8.0 * static_cast<double>(section.size()) / static_cast<double>(hashes.size());
}

TEST(Consensus, EveryEffortTakesLessSpace) {
  const auto hashes = random_hashes(100 * kBucket, 2);
  double before = 1.481;
  for (std::size_t effort = 0; effort < kEfforts.size(); ++effort) {
    const base::Bytes section = build_section(hashes, 2, effort);
    EXPECT_TRUE(is_bijection(section, hashes));
    EXPECT_LT(bits_per_key(section, hashes), before);
    before = bits_per_key(section, hashes);
  }
}

TEST(Consensus, SeveralPartitionsTakeLittleMore) {
  const auto hashes = random_hashes(300 * kBucket, 2);
  const base::Bytes section = build_section(hashes, 2);
  EXPECT_TRUE(is_bijection(section, hashes));
  EXPECT_LT(bits_per_key(section, hashes), 1.483);
}

/// The table's entry of a partition, of so many.
base::Bytes entry(const base::Bytes& section, std::uint64_t partition, std::uint64_t partitions) {
  const auto begin =
      section.end() - static_cast<std::ptrdiff_t>(kPartEntryBytes * (partitions - partition));
  return {begin, begin + static_cast<std::ptrdiff_t>(kPartEntryBytes)};
}

/// Salts and partitions without buckets are for hash sets that no key set has by chance.
TEST(Consensus, APartitionWithAlikeKeysHasASalt) {
  auto hashes = random_hashes(2 * kBucket);
  std::ranges::sort(hashes);
  for (std::size_t i = 10; i < 14; ++i) hashes[i].lo = 5;
  const base::Bytes section = build_section(hashes);
  EXPECT_NE(entry(section, 0, 1)[36], std::byte{0});
  EXPECT_TRUE(is_bijection(section, hashes));
}

TEST(Consensus, UnevenHashesAreOfTheRest) {
  auto hashes = random_hashes(5 * kBucket);
  for (Hash128& hash : hashes) hash.hi >>= 6;
  const base::Bytes section = build_section(hashes);
  EXPECT_EQ(entry(section, 0, 1), base::Bytes(kPartEntryBytes));  // no buckets
  EXPECT_TRUE(is_bijection(section, hashes));
}

TEST(Consensus, APartitionWithUnevenHashesLeavesTheOthersAsTheyAre) {
  auto hashes = random_hashes(kPartition + 5 * kBucket);
  const base::Bytes even = build_section(hashes);
  for (Hash128& hash : hashes) {
    if (hash.hi >> 63 != 0) hash.hi = (hash.hi << 1 >> 9) | std::uint64_t{1} << 63;
  }
  const base::Bytes section = build_section(hashes);
  EXPECT_EQ(entry(section, 0, 2), entry(even, 0, 2));
  EXPECT_NE(entry(even, 1, 2), base::Bytes(kPartEntryBytes));
  EXPECT_EQ(entry(section, 1, 2), base::Bytes(kPartEntryBytes));
  EXPECT_TRUE(is_bijection(section, hashes));
}

TEST(Consensus, KeysBeyondAPartitionsRoomAreOfTheRest) {
  auto hashes = random_hashes(kPartition * 2 + kPartition / 2);
  for (Hash128& hash : hashes) hash.hi >>= 2;  // all in the first partition of four
  const base::Bytes section = build_section(hashes);
  EXPECT_EQ(base::load_le<std::uint16_t>(entry(section, 0, 4).data() + 32),
            kEfforts[0].shape.max_buckets());
  EXPECT_TRUE(is_bijection(section, hashes));
}

TEST(Consensus, BytesAreTheSameOnThreadsAndFromASpilledStream) {
  // Of four partitions, or two.
  const auto hashes = random_hashes((test::kSanitized ? 1 : 2) * kPartition + 100);
  const base::Bytes expected = build_section(hashes);
  EXPECT_TRUE(build_section(hashes, 3) == expected);
  for (const unsigned partition_bits : {0U, 5U}) {
    const test::SpilledKeys<Hash128> spilled(hashes, partition_bits);
    ASSERT_GT(spilled.temp_bytes(), 0U);
    for (const unsigned threads : {1U, 3U}) {
      // Under sanitizers each partitioning and each number of threads once.
      if (test::kSanitized && (threads == 1) != (partition_bits == 0)) continue;
      EXPECT_TRUE(build_section(spilled.keys(), threads) == expected) << partition_bits;
    }
  }
}

/// Of whole buckets: what is left over is PHast's.
TEST(Consensus, BytesArePinned) {
  const auto digest = [](std::uint64_t n, std::size_t effort) {
    return test::digest_of(build_section(random_hashes(n, 1), 1, effort));
  };
  EXPECT_EQ(digest(5 * kBucket, 0), 11256780816818543501U);
  EXPECT_EQ(digest(64 * kBucket + 2 * kBucket, 0), 8169162156340652411U);
  EXPECT_EQ(digest(5 * kBucket, 1), 16125313976703109505U);
  EXPECT_EQ(digest(5 * kBucket, 2), 12650211485913616973U);
}

bool survives(const base::Bytes& section, const std::vector<Hash128>& probes) {
  return test::survives(open, section, probes);
}

TEST(ConsensusCorrupt, TruncationsAndTrailingBytesAreRefused) {
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{5}, kBucket, kBucket + 300}) {
    base::Bytes section = build_section(random_hashes(n));
    for (std::size_t size = 0; size < section.size(); ++size) {
      const base::Bytes cut(section.begin(), section.begin() + static_cast<std::ptrdiff_t>(size));
      ASSERT_FALSE(survives(cut, {})) << "n = " << n << ", cut at " << size;
    }
    section.resize(section.size() + 8);
    EXPECT_FALSE(survives(section, {}));
  }
}

TEST(ConsensusCorrupt, EveryByteOfASmallSection) {
  const auto hashes = random_hashes(3 * kBucket + 100);
  const std::vector<Hash128> probes(hashes.begin(), hashes.begin() + 300);
  base::Bytes section = build_section(hashes);
  for (std::byte& byte : section) {
    const std::byte original = byte;
    for (const unsigned flip : {0x01U, 0x80U, 0xffU}) {
      byte = original ^ std::byte(flip);
      survives(section, probes);
    }
    byte = original;
  }
}

TEST(ConsensusCorrupt, NamesWhatIsWrong) {
  const base::Bytes section = build_section(random_hashes(kBucket + 300));
  const auto problem_of = [](base::ByteView bytes) -> std::string {
    try {
      open(bytes);
    } catch (const Error& error) {
      return error.what();
    }
    return "opens";
  };
  const auto problem = [&](std::size_t place, unsigned value) {
    base::Bytes changed = section;
    changed[place] = static_cast<std::byte>(value);
    return problem_of(changed);
  };
  EXPECT_EQ(problem(7, 0xff), "mphf section: the number of keys is out of range");
  EXPECT_EQ(problem(8, 8), "mphf section: the size of buckets is out of range");
  EXPECT_EQ(problem(8, 13), "mphf section: the size of buckets is out of range");
  EXPECT_EQ(problem(10, 16), "mphf section: the bits of a level are out of range");
  EXPECT_EQ(problem(12, 0), "mphf section: the bits of a level are out of range");
  // Eight bits of the root that level 2 has: the first window of level 1 would reach beyond its
  // tree.
  base::Bytes changed = section;
  changed[10] = std::byte{2};
  changed[14] = static_cast<std::byte>(std::to_integer<unsigned>(changed[14]) + 8);
  EXPECT_EQ(problem_of(changed), "mphf section: the bits of a level are out of range");
  EXPECT_EQ(problem(0, 1), "mphf section: its parts disagree on the number of keys");
  EXPECT_EQ(problem(3, 1), "mphf section: it ends before its table");
  const std::size_t table = section.size() - kPartEntryBytes + 32;
  EXPECT_EQ(problem(table, 2), "mphf section: ends before its last field");
  EXPECT_EQ(problem(table + 1, 2), "mphf section: a partition's buckets are out of range");
  EXPECT_EQ(problem(table + 2, 2), "mphf section: a partition's buckets are out of range");
}

}  // namespace
}  // namespace crivo::consensus
