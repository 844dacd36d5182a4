#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "crivo/error.hpp"
#include "file/section_types.hpp"
#include "mphf/build.hpp"
#include "support/hashes.hpp"

namespace crivo {
namespace {

using test::build_section;
using test::fast;
using test::random_hashes;

/// Whether the hashes get the values 0, 1, ..., n - 1, each once, from both interfaces.
testing::AssertionResult is_bijection(const mphf::Function& function,
                                      const std::vector<Hash128>& hashes) {
  if (function.size() != hashes.size()) {
    return testing::AssertionFailure() << "size " << function.size();
  }
  std::vector<std::uint64_t> ranks(hashes.size());
  function.ranks(hashes, ranks.data());
  std::vector<bool> seen(hashes.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const std::uint64_t rank = function.rank(hashes[i]);
    if (rank != ranks[i]) return testing::AssertionFailure() << "batch and single differ at " << i;
    if (rank >= hashes.size()) return testing::AssertionFailure() << "rank " << rank << " at " << i;
    if (seen[rank]) return testing::AssertionFailure() << "rank " << rank << " occurs twice";
    seen[rank] = true;
  }
  return testing::AssertionSuccess();
}

testing::AssertionResult builds_bijection(const std::vector<Hash128>& hashes) {
  const file::Bytes section = build_section(hashes);
  return is_bijection(*fast().open(section), hashes);
}

double bits_per_key(const file::Bytes& section, std::uint64_t n) {
  return 8.0 * static_cast<double>(section.size()) / static_cast<double>(n);
}

TEST(Phast, IsTheDefaultAlgorithm) {
  ASSERT_FALSE(mphf::algorithms().empty());
  EXPECT_EQ(fast().name, "fast");
  EXPECT_EQ(fast().section_type, file::kPhastSection);
}

TEST(Phast, BijectionAtEverySmallSize) {
  for (std::uint64_t n = 0; n <= 300; ++n) {
    ASSERT_TRUE(builds_bijection(random_hashes(n, n))) << "n = " << n;
  }
}

TEST(Phast, BijectionAtEdgeSizes) {
  for (const std::uint64_t n : {511U, 512U, 513U, 1000U, 11'500U, 65'535U, 65'536U, 65'537U,
                                199'999U, 200'000U, 200'001U}) {
    ASSERT_TRUE(builds_bijection(random_hashes(n, 7))) << "n = " << n;
  }
}

TEST(Phast, BijectionAroundTheFirstSplitIntoPartitions) {
  for (const std::uint64_t n : {524'287U, 524'288U}) {
    ASSERT_TRUE(builds_bijection(random_hashes(n, 1))) << "n = " << n;
  }
}

TEST(Phast, BijectionOverManyPartitionsAndLittleSpace) {
  const auto hashes = random_hashes(2'200'000, 3);  // eight partitions
  const file::Bytes section = build_section(hashes, 2);
  EXPECT_TRUE(is_bijection(*fast().open(section), hashes));
  EXPECT_LT(bits_per_key(section, hashes.size()), 1.87);
}

TEST(Phast, SmallSetsTakeLittleSpace) {
  const auto size = [](std::uint64_t n) { return build_section(random_hashes(n, 5)).size(); };
  EXPECT_EQ(size(0), 16U);
  EXPECT_EQ(size(1), 32U);
  EXPECT_EQ(size(10), 32U);   // header, salt, two seeds
  EXPECT_EQ(size(100), 64U);  // 3.2 bits a key and the header and salt
  EXPECT_LE(size(1000), 420U);
  EXPECT_LE(size(10'000), 2750U);
  EXPECT_LE(size(100'000), 24'000U);
}

TEST(Phast, AbsentHashesStayInRange) {
  for (const std::uint64_t n : {0U, 1U, 2U, 100U, 256U, 257U, 5000U, 600'000U}) {
    const file::Bytes section = build_section(random_hashes(n, 11));
    const auto function = fast().open(section);
    auto absent = random_hashes(20'000, 12);
    const std::uint64_t extremes[] = {0, 1, ~std::uint64_t{0}, std::uint64_t{1} << 63};
    for (const std::uint64_t hi : extremes) {
      for (const std::uint64_t lo : extremes) absent.push_back({hi, lo});
    }
    std::vector<std::uint64_t> ranks(absent.size());
    function->ranks(absent, ranks.data());
    for (std::size_t i = 0; i < absent.size(); ++i) {
      ASSERT_LT(ranks[i], std::max<std::uint64_t>(n, 1)) << "n = " << n;
      ASSERT_EQ(ranks[i], function->rank(absent[i]));
    }
  }
}

TEST(Phast, BatchesOfAnyLength) {
  const auto hashes = random_hashes(1000, 1);
  const file::Bytes section = build_section(hashes);
  const auto function = fast().open(section);
  for (std::size_t length = 0; length <= 100; ++length) {
    constexpr std::uint64_t kUntouched = 1'000'000;
    std::vector<std::uint64_t> ranks(length + 1, kUntouched);
    function->ranks(std::span(hashes).subspan(length, length), ranks.data());
    for (std::size_t i = 0; i < length; ++i) {
      ASSERT_EQ(ranks[i], function->rank(hashes[length + i]));
    }
    ASSERT_EQ(ranks[length], kUntouched);
  }
}

TEST(Phast, SameBytesWhateverTheThreads) {
  for (const std::uint64_t n : {200U, 3000U, 600'000U, 1'500'000U}) {
    const auto hashes = keys::SortedHashes::from_unsorted(random_hashes(n, 2));
    const file::Bytes serial = build_section(hashes, 1);
    EXPECT_TRUE(serial == build_section(hashes, 2)) << "n = " << n;
    EXPECT_TRUE(serial == build_section(hashes, 3)) << "n = " << n;
  }
}

/// The bytes are a file format: they change only with its version.
TEST(Phast, BytesArePinned) {
  const auto digest = [](std::uint64_t n) {
    const file::Bytes section = build_section(random_hashes(n, 1));
    return hash_key(std::span(section), 0).hi;
  };
  EXPECT_EQ(digest(100), 10983890718377311023U);
  EXPECT_EQ(digest(1000), 6479458947457830349U);
  EXPECT_EQ(digest(600'000), 6845742198969008002U);
}

TEST(Phast, CountsItsProgress) {
  for (const std::uint64_t n : {0U, 100U, 5000U, 600'000U}) {
    util::Progress progress;
    file::MemorySink sink;
    fast().build(keys::SortedHashes::from_unsorted(random_hashes(n, 1)), {2, progress}, sink);
    EXPECT_EQ(std::string(progress.phase()), "mphf");
    EXPECT_EQ(progress.total(), n);
    EXPECT_EQ(progress.done(), n);
  }
}

/// Equal hashes, which SortedHashes rules out, stand for sets that no level can take apart.
TEST(Phast, GivesUpOnWhatCannotBeTakenApart) {
  for (const std::uint64_t n : {2U, 1000U}) {
    keys::HashArray equal(n);
    std::fill_n(equal.data(), n, Hash128{1, 2});
    util::Progress progress;
    file::MemorySink sink;
    try {
      fast().build(keys::SortedHashes(std::move(equal), n), {1, progress}, sink);
      ADD_FAILURE() << "built, n = " << n;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      EXPECT_NE(std::string(error.what()).find("try another --seed"), std::string::npos);
    }
  }
}

/// Hash sets that no key set has by chance: the function may be large, but it is one.
class PhastOnOddSets : public testing::TestWithParam<std::uint64_t> {};

TEST_P(PhastOnOddSets, EqualHighHalves) {
  auto hashes = random_hashes(GetParam());
  for (Hash128& hash : hashes) hash.hi = 0x123456789abcdef0U;
  EXPECT_TRUE(builds_bijection(hashes));
}

TEST_P(PhastOnOddSets, EqualLowHalves) {
  auto hashes = random_hashes(GetParam());
  for (Hash128& hash : hashes) hash.lo = ~std::uint64_t{0};
  EXPECT_TRUE(builds_bijection(hashes));
}

TEST_P(PhastOnOddSets, EqualSpreadingBits) {
  auto hashes = random_hashes(GetParam());
  for (Hash128& hash : hashes) hash.lo <<= 16;
  EXPECT_TRUE(builds_bijection(hashes));
}

TEST_P(PhastOnOddSets, OneBucketAtTheLowEnd) {
  std::vector<Hash128> hashes(GetParam());
  for (std::uint64_t i = 0; i < hashes.size(); ++i) hashes[i] = {0, i};
  EXPECT_TRUE(builds_bijection(hashes));
}

TEST_P(PhastOnOddSets, OneBucketAtTheHighEnd) {
  std::vector<Hash128> hashes(GetParam());
  for (std::uint64_t i = 0; i < hashes.size(); ++i) hashes[i] = {~i, 0};
  EXPECT_TRUE(builds_bijection(hashes));
}

TEST_P(PhastOnOddSets, OnePartition) {
  auto hashes = random_hashes(GetParam());
  for (Hash128& hash : hashes) hash.hi = hash.hi >> 8 | std::uint64_t{0x5a} << 56;
  EXPECT_TRUE(builds_bijection(hashes));
}

TEST_P(PhastOnOddSets, EquallySpaced) {
  std::vector<Hash128> hashes(GetParam());
  const std::uint64_t step = ~std::uint64_t{0} / std::max<std::uint64_t>(hashes.size(), 1);
  for (std::uint64_t i = 0; i < hashes.size(); ++i) hashes[i] = {i * step, i * step};
  EXPECT_TRUE(builds_bijection(hashes));
}

INSTANTIATE_TEST_SUITE_P(Sizes, PhastOnOddSets, testing::Values(2, 256, 257, 5000, 600'000));

}  // namespace
}  // namespace crivo
