// SPDX-License-Identifier: Apache-2.0
// Every MPHF algorithm is a bijection at every size, and as small as it claims.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>

#include "crivo/error.hpp"
#include "file/section_types.hpp"
#include "mphf/build.hpp"
#include "support/digest.hpp"
#include "support/functions.hpp"
#include "support/hashes.hpp"

namespace crivo {
namespace {

using test::build_section;
using test::fast;
using test::is_bijection;
using test::random_hashes;

testing::AssertionResult builds_bijection(const mphf::Builder& algorithm,
                                          const std::vector<Hash128>& hashes) {
  const base::Bytes section = build_section(hashes, 1, algorithm);
  return is_bijection(*algorithm.algorithm().open(base::ByteView(section)), hashes);
}

const mphf::Builder& named(std::string_view name) {
  const auto all = mphf::builders();
  return *std::ranges::find(all, name, &mphf::Builder::name);
}

/// What holds of every algorithm.
class EveryMphf : public testing::TestWithParam<std::string_view> {
 protected:
  const mphf::Builder& algorithm() const { return named(GetParam()); }
  /// Of sets that are large for the algorithm: the seeds' have no partitions, and take longer.
  std::uint64_t large() const { return algorithm().algorithm().of_seeds ? 30'000 : 600'000; }
};
INSTANTIATE_TEST_SUITE_P(Algorithms, EveryMphf,
                         testing::Values("fast", "compact", "tiny", "mwhc2", "mwhc3", "fch", "bmz",
                                         "bdz"),
                         [](const auto& row) { return std::string(row.param); });

/// What holds of those that divide large sets into partitions.
class PartitionedMphf : public EveryMphf {};
INSTANTIATE_TEST_SUITE_P(Algorithms, PartitionedMphf, testing::Values("fast", "compact", "tiny"),
                         [](const auto& row) { return std::string(row.param); });

TEST(Mphfs, AreAllTested) {
  EXPECT_EQ(mphf::builders().size(), 8U);
}

double bits_per_key(const base::Bytes& section, std::uint64_t n) {
  return 8.0 * static_cast<double>(section.size()) / static_cast<double>(n);
}

TEST(PhastFast, IsTheDefaultAlgorithm) {
  ASSERT_FALSE(mphf::builders().empty());
  EXPECT_EQ(fast().name, "fast");
  EXPECT_EQ(fast().section_type, file::kPhastSection);
  EXPECT_EQ(named("compact").section_type, file::kPhastSection);
}

TEST_P(EveryMphf, BijectionAtEverySmallSize) {
  for (std::uint64_t n = 0; n <= 300; ++n) {
    ASSERT_TRUE(builds_bijection(algorithm(), random_hashes(n, n))) << "n = " << n;
  }
}

TEST_P(EveryMphf, BijectionAtEdgeSizes) {
  for (const std::uint64_t n : {63U, 64U, 65U, 66U, 100U, 513U, 1000U, 1024U, 1025U, 11'500U,
                                65'535U, 65'536U, 65'537U, 199'999U, 200'000U, 200'001U}) {
    ASSERT_TRUE(builds_bijection(algorithm(), random_hashes(n, 7))) << "n = " << n;
  }
}

TEST_P(PartitionedMphf, BijectionAroundTheFirstSplitIntoPartitions) {
  for (const std::uint64_t n : {524'287U, 524'288U, 786'431U, 786'432U, 1'048'575U, 1'048'576U}) {
    ASSERT_TRUE(builds_bijection(algorithm(), random_hashes(n, 1))) << "n = " << n;
  }
}

TEST_P(PartitionedMphf, BijectionOverManyPartitionsAndLittleSpace) {
  const auto hashes = random_hashes(2'200'000, 3);
  const base::Bytes section = build_section(hashes, 2, algorithm());
  EXPECT_TRUE(is_bijection(*algorithm().algorithm().open(base::ByteView(section)), hashes));
  const double most = GetParam() == "fast" ? 1.87 : GetParam() == "compact" ? 1.785 : 1.48;
  EXPECT_LT(bits_per_key(section, hashes.size()), most);
}

TEST(PhastCompact, EffortSavesSpace) {
  const auto hashes = random_hashes(600'000, 4);
  const mphf::Builder& compact = named("compact");
  ASSERT_EQ(compact.max_effort, 2U);
  const double most_bits[] = {1.80, 1.785, 1.78};
  double before = 9;
  for (unsigned effort = 0; effort <= compact.max_effort; ++effort) {
    const base::Bytes section = build_section(hashes, 2, compact, {.effort = effort});
    EXPECT_TRUE(is_bijection(*compact.algorithm().open(base::ByteView(section)), hashes));
    const double bits = bits_per_key(section, hashes.size());
    EXPECT_LT(bits, most_bits[effort]);
    EXPECT_LT(bits, before);
    before = bits;
  }
}

TEST(PhastCompact, EveryEffortAtEdgeSizes) {
  for (unsigned effort = 1; effort <= named("compact").max_effort; ++effort) {
    for (const std::uint64_t n : {0U, 1U, 64U, 65U, 300U, 1000U, 1024U, 1025U, 11'500U, 65'537U}) {
      const auto hashes = random_hashes(n, 7);
      const base::Bytes section = build_section(hashes, 1, named("compact"), {.effort = effort});
      ASSERT_TRUE(is_bijection(*named("compact").algorithm().open(base::ByteView(section)), hashes))
          << "n = " << n;
    }
  }
}

TEST(PhastFast, SmallSetsTakeLittleSpace) {
  const auto size = [](std::uint64_t n) { return build_section(random_hashes(n, 5)).size(); };
  EXPECT_EQ(size(0), 16U);
  EXPECT_EQ(size(1), 32U);
  EXPECT_EQ(size(10), 32U);  // header, salt, two seeds
  EXPECT_EQ(size(64), 56U);  // 3.2 bits a key and the header and salt
  EXPECT_LE(size(100), 128U);
  EXPECT_LE(size(1000), 430U);
  EXPECT_LE(size(10'000), 2760U);
  EXPECT_LE(size(100'000), 23'500U);
}

TEST_P(EveryMphf, AbsentHashesStayInRange) {
  for (const std::uint64_t n :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{100},
        std::uint64_t{256}, std::uint64_t{257}, std::uint64_t{5000}, large()}) {
    const base::Bytes section = build_section(random_hashes(n, 11), 1, algorithm());
    const auto function = algorithm().algorithm().open(base::ByteView(section));
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
      ASSERT_EQ(ranks[i], test::inlined_rank(*function, absent[i]));
    }
  }
}

TEST_P(EveryMphf, BatchesOfAnyLength) {
  const auto hashes = random_hashes(5000, 1);
  const base::Bytes section = build_section(hashes, 1, algorithm());
  const auto function = algorithm().algorithm().open(base::ByteView(section));
  std::vector<std::size_t> lengths(101);
  std::iota(lengths.begin(), lengths.end(), std::size_t{0});
  lengths.insert(lengths.end(), {1023, 1024, 1025, 2047, 2048, 2049});
  for (const std::size_t length : lengths) {
    constexpr std::uint64_t kUntouched = 1'000'000;
    std::vector<std::uint64_t> ranks(length + 1, kUntouched);
    function->ranks(std::span(hashes).subspan(length, length), ranks.data());
    for (std::size_t i = 0; i < length; ++i) {
      ASSERT_EQ(ranks[i], function->rank(hashes[length + i]));
    }
    ASSERT_EQ(ranks[length], kUntouched);
  }
}

TEST_P(EveryMphf, SameBytesWhateverTheThreads) {
  for (const std::uint64_t n :
       {std::uint64_t{200}, std::uint64_t{3000}, large(), large() * 5 / 2}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n, 2));
    const base::Bytes serial = build_section(hashes, 1, algorithm());
    EXPECT_TRUE(serial == build_section(hashes, 2, algorithm())) << "n = " << n;
    EXPECT_TRUE(serial == build_section(hashes, 3, algorithm())) << "n = " << n;
  }
}

/// The bytes are a file format: they change only with its version, and not with the processor
/// (ctest runs this with CRIVO_CPU=portable too).
TEST(PhastBytes, ArePinned) {
  const auto digest = [](std::string_view name, std::uint64_t n) {
    const base::Bytes section = build_section(random_hashes(n, 1), 1, named(name));
    return test::digest_of(section);
  };
  EXPECT_EQ(digest("fast", 100), 7969019434287946711U);
  EXPECT_EQ(digest("fast", 3000), 15363387306880325104U);
  EXPECT_EQ(digest("fast", 1'000'000), 16747470914134516208U);
  EXPECT_EQ(digest("compact", 3000), 8646776635237663152U);
  EXPECT_EQ(digest("compact", 1'000'000), 1244301636026977412U);
}

TEST_P(EveryMphf, CountsItsProgress) {
  for (const std::uint64_t n :
       {std::uint64_t{0}, std::uint64_t{100}, std::uint64_t{5000}, large()}) {
    base::Progress progress;
    base::MemorySink sink;
    algorithm().build(stream::SortedHashes::from_unsorted(random_hashes(n, 1)), {}, {2, progress},
                      sink);
    // The seeds' algorithms tell their steps; of no keys they have none.
    EXPECT_EQ(std::string(progress.phase()), !algorithm().algorithm().of_seeds ? "mphf"
                                             : n > 0                           ? "search"
                                                                               : "");
    EXPECT_EQ(progress.total(), n);
    EXPECT_EQ(progress.done(), n);
  }
}

/// Equal hashes stand for sets that no level can take apart.
TEST_P(EveryMphf, GivesUpOnWhatCannotBeTakenApart) {
  for (const std::uint64_t n : {2U, 1000U, 3000U}) {
    const stream::SortedHashes equal(std::vector<Hash128>(n, Hash128{1, 2}));
    base::Progress progress;
    base::MemorySink sink;
    try {
      algorithm().build(equal, {}, {1, progress}, sink);
      ADD_FAILURE() << "built, n = " << n;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      EXPECT_NE(std::string(error.what()).find("try another seed"), std::string::npos);
    }
  }
}

/// Hash sets that no key set has by chance: the function may be large, but it is one.
class EveryMphfOnOddSets
    : public testing::TestWithParam<std::tuple<std::string_view, std::uint64_t>> {
 protected:
  /// Of many keys the build may refuse what would make the file far larger instead.
  testing::AssertionResult builds_bijection(const std::vector<Hash128>& hashes) const {
    constexpr std::uint64_t kMostOfAnySpread = 65'536;
    try {
      return crivo::builds_bijection(named(std::get<0>(GetParam())), hashes);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::bad_input || error.place().remedy != "keyed_hash" ||
          hashes.size() <= kMostOfAnySpread)
        throw;
      return testing::AssertionSuccess();
    }
  }
  std::uint64_t size() const { return std::get<1>(GetParam()); }
};

TEST_P(EveryMphfOnOddSets, EqualHighHalves) {
  auto hashes = random_hashes(size());
  for (Hash128& hash : hashes) hash.hi = 0x123456789abcdef0U;
  EXPECT_TRUE(builds_bijection(hashes));
}

TEST_P(EveryMphfOnOddSets, EqualLowHalves) {
  auto hashes = random_hashes(size());
  for (Hash128& hash : hashes) hash.lo = ~std::uint64_t{0};
  EXPECT_TRUE(builds_bijection(hashes));
}

TEST_P(EveryMphfOnOddSets, EqualSpreadingBits) {
  auto hashes = random_hashes(size());
  for (Hash128& hash : hashes) hash.lo <<= 16;
  EXPECT_TRUE(builds_bijection(hashes));
}

TEST_P(EveryMphfOnOddSets, OneBucketAtTheLowEnd) {
  std::vector<Hash128> hashes(size());
  for (std::uint64_t i = 0; i < hashes.size(); ++i) hashes[i] = {0, i};
  EXPECT_TRUE(builds_bijection(hashes));
}

TEST_P(EveryMphfOnOddSets, OneBucketAtTheHighEnd) {
  std::vector<Hash128> hashes(size());
  for (std::uint64_t i = 0; i < hashes.size(); ++i) hashes[i] = {~i, 0};
  EXPECT_TRUE(builds_bijection(hashes));
}

TEST_P(EveryMphfOnOddSets, OnePartition) {
  auto hashes = random_hashes(size());
  for (Hash128& hash : hashes) hash.hi = hash.hi >> 8 | std::uint64_t{0x5a} << 56;
  EXPECT_TRUE(builds_bijection(hashes));
}

TEST_P(EveryMphfOnOddSets, EquallySpaced) {
  std::vector<Hash128> hashes(size());
  const std::uint64_t step = ~std::uint64_t{0} / std::max<std::uint64_t>(hashes.size(), 1);
  for (std::uint64_t i = 0; i < hashes.size(); ++i) hashes[i] = {i * step, i * step};
  EXPECT_TRUE(builds_bijection(hashes));
}

INSTANTIATE_TEST_SUITE_P(Sizes, EveryMphfOnOddSets,
                         testing::Combine(testing::Values("fast", "compact", "tiny"),
                                          testing::Values(2, 256, 257, 5000, 900'000)));
INSTANTIATE_TEST_SUITE_P(SeedsSizes, EveryMphfOnOddSets,
                         testing::Combine(testing::Values("mwhc2", "mwhc3", "fch", "bmz", "bdz"),
                                          testing::Values(2, 256, 257, 5000, 30'000)));

}  // namespace
}  // namespace crivo
