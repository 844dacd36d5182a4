#include "consensus/consensus.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "crivo/error.hpp"
#include "stream/sorted_hashes.hpp"
#include "support/functions.hpp"
#include "support/hashes.hpp"

namespace crivo::consensus {
namespace {

using test::random_hashes;

file::Bytes build_section(const std::vector<Hash128>& hashes, unsigned threads = 1,
                          std::size_t effort = 0) {
  util::Progress progress;
  file::MemorySink sink;
  build(kEfforts[effort], stream::SortedHashes::from_unsorted(hashes), {threads, progress}, sink);
  return sink.take();
}

testing::AssertionResult is_bijection(const file::Bytes& section,
                                      const std::vector<Hash128>& hashes) {
  return test::is_bijection(*open(section), hashes);
}

constexpr std::uint64_t kBucket = 2048;
constexpr std::uint64_t kSegment = std::uint64_t{1} << kLogSegmentKeys;

TEST(Consensus, BijectionAroundBucketsAndSegments) {
  for (const std::uint64_t n :
       {kBucket - 1, kBucket, kBucket + 1, 2 * kBucket, 3 * kBucket + 300, kSegment - 1, kSegment,
        kSegment + 1, kSegment + kBucket, 2 * kSegment + 12 * kBucket + 77}) {
    const auto hashes = random_hashes(n, n);
    ASSERT_TRUE(is_bijection(build_section(hashes), hashes)) << "n = " << n;
  }
}

TEST(Consensus, EveryEffortTakesLessSpace) {
  const auto hashes = random_hashes(300 * kBucket, 2);
  double before = 1.481;
  for (std::size_t effort = 0; effort < kEfforts.size(); ++effort) {
    // The efforts after the first take long: fewer keys do for the proof that they work.
    const std::vector<Hash128> some(
        hashes.begin(),
        hashes.begin() + static_cast<std::ptrdiff_t>(effort == 0 ? hashes.size() : 100 * kBucket));
    const file::Bytes section = build_section(some, 2, effort);
    EXPECT_TRUE(is_bijection(section, some));
    const double bits =
        8.0 * static_cast<double>(section.size()) / static_cast<double>(some.size());
    EXPECT_LT(bits, before);
    before = bits;
  }
}

/// Salts and spreading are for hash sets that no key set has by chance.
TEST(Consensus, ASegmentWithAlikeKeysHasASalt) {
  auto hashes = random_hashes(2 * kBucket);
  std::ranges::sort(hashes);
  for (std::size_t i = 10; i < 14; ++i) hashes[i].lo = 5;
  const file::Bytes section = build_section(hashes);
  EXPECT_TRUE(is_bijection(section, hashes));
}

TEST(Consensus, UnevenHashesAreSpread) {
  auto hashes = random_hashes(5 * kBucket);
  for (Hash128& hash : hashes) hash.hi >>= 3;
  const file::Bytes section = build_section(hashes);
  EXPECT_EQ(section[9], std::byte{1});
  EXPECT_TRUE(is_bijection(section, hashes));
}

/// Of whole buckets: what is left over is PHast's.
TEST(Consensus, BytesArePinned) {
  const auto digest = [](std::uint64_t n, std::size_t effort) {
    return hash_key(std::span<const std::byte>(build_section(random_hashes(n, 1), 1, effort)), 0)
        .hi;
  };
  EXPECT_EQ(digest(5 * kBucket, 0), 258577166423382395U);
  EXPECT_EQ(digest(kSegment + 2 * kBucket, 0), 11396248700930274723U);
  EXPECT_EQ(digest(5 * kBucket, 1), 12316214249452137260U);
  EXPECT_EQ(digest(5 * kBucket, 2), 1298315873913904020U);
}

bool survives(const file::Bytes& section, const std::vector<Hash128>& probes) {
  return test::survives(open, section, probes);
}

TEST(ConsensusCorrupt, TruncationsAndTrailingBytesAreRefused) {
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{5}, kBucket, kBucket + 300}) {
    file::Bytes section = build_section(random_hashes(n));
    for (std::size_t size = 0; size < section.size(); ++size) {
      const file::Bytes cut(section.begin(), section.begin() + static_cast<std::ptrdiff_t>(size));
      ASSERT_FALSE(survives(cut, {})) << "n = " << n << ", cut at " << size;
    }
    section.resize(section.size() + 8);
    EXPECT_FALSE(survives(section, {}));
  }
}

TEST(ConsensusCorrupt, EveryByteOfASmallSection) {
  const auto hashes = random_hashes(3 * kBucket + 100);
  const std::vector<Hash128> probes(hashes.begin(), hashes.begin() + 300);
  file::Bytes section = build_section(hashes);
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
  const file::Bytes section = build_section(random_hashes(kBucket + 300));
  const auto problem = [&](std::size_t place, unsigned value) -> std::string {
    file::Bytes changed = section;
    changed[place] = static_cast<std::byte>(value);
    try {
      open(changed);
    } catch (const Error& error) {
      return error.what();
    }
    return "opens";
  };
  EXPECT_EQ(problem(7, 0xff), "mphf section: the number of keys is out of range");
  EXPECT_EQ(problem(8, 8), "mphf section: the size of buckets is out of range");
  EXPECT_EQ(problem(8, 13), "mphf section: the size of buckets is out of range");
  EXPECT_EQ(problem(10, 16), "mphf section: the bits of a level are out of range");
  EXPECT_EQ(problem(12, 0), "mphf section: the bits of a level are out of range");
  EXPECT_EQ(problem(0, 1), "mphf section: its parts disagree on the number of keys");
}

}  // namespace
}  // namespace crivo::consensus
