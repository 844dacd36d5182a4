// SPDX-License-Identifier: Apache-2.0
/// What the documents and theory say of the seeds' functions, beside what holds of every MPHF.
#include "support/functions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "mphf/build.hpp"
#include "structures/build/mphf.hpp"
#include "structures/classic/build/acyclic.hpp"
#include "structures/classic/build/fch.hpp"
#include "structures/classic/fch_mapping.hpp"
#include "structures/classic/section.hpp"
#include "support/digest.hpp"
#include "support/hashes.hpp"

namespace crivo::classic {
namespace {

using test::build_section;
using test::random_hashes;

constexpr std::string_view kNames[] = {"mwhc2", "mwhc3", "fch", "bmz", "bdz"};
constexpr Range kAllRanges[] = {Range::modulo, Range::mask_xor, Range::unbiased};
constexpr std::size_t kHeaderBytes = 32;

const mphf::Builder& named(std::string_view name) {
  const auto all = mphf::builders();
  return *std::ranges::find(all, name, &mphf::Builder::name);
}

SectionHeader header_of(const base::Bytes& section) {
  base::FieldReader reader(section, "mphf section");
  return SectionHeader::read(reader);
}

/// The mean number of graphs that sets of n keys take.
double mean_attempts(std::string_view name, std::uint64_t n, Range range) {
  constexpr std::uint64_t kSets = 150;
  double attempts = 0;
  for (std::uint64_t set = 0; set < kSets; ++set) {
    attempts +=
        header_of(build_section(random_hashes(n, set), 1, named(name), {.range = range})).salt +
        1.0;
  }
  return attempts / kSets;
}

TEST(Seeds, EveryRangeBuildsBijections) {
  for (const std::string_view name : kNames) {
    for (const Range range : kAllRanges) {
      for (const std::uint64_t n : {1U, 2U, 3U, 10U, 64U, 100U, 1000U, 1024U, 12'000U}) {
        const auto hashes = random_hashes(n, n);
        const base::Bytes section = build_section(hashes, 1, named(name), {.range = range});
        EXPECT_EQ(header_of(section).range, range);
        ASSERT_TRUE(
            test::is_bijection(*named(name).algorithm().open(base::ByteView(section)), hashes))
            << name << ", n = " << n << ", range " << static_cast<int>(range);
      }
    }
  }
}

/// Rank i is the i-th key's: the order in which the keys are given to the builder is preserved.
TEST(Mwhc, PreservesTheOrder) {
  for (const std::string_view name : {"mwhc2", "mwhc3"}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(20'000));
    const base::Bytes section = build_section(hashes, 1, named(name));
    const auto function = named(name).algorithm().open(base::ByteView(section));
    const auto all = hashes.partition(0, 0);
    for (std::uint64_t i = 0; i < all.size(); ++i) ASSERT_EQ(function->rank(all[i]), i);
  }
}

/// And any order that is given: the ranks are what the choices say.
TEST(Mwhc, GivesTheRanksItIsTold) {
  for (const std::string_view name : {"mwhc2", "mwhc3"}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(5'000));
    const mphf::BuildChoices choices{.ranks = [&](std::span<const Hash128>, std::uint64_t first,
                                                  std::span<std::uint64_t> ranks) {
      for (std::uint64_t i = 0; i < ranks.size(); ++i) ranks[i] = hashes.size() - 1 - first - i;
    }};
    const base::Bytes section = build_section(hashes, 1, named(name), choices);
    const auto function = named(name).algorithm().open(base::ByteView(section));
    const auto all = hashes.partition(0, 0);
    for (std::uint64_t i = 0; i < all.size(); ++i) {
      ASSERT_EQ(function->rank(all[i]), all.size() - 1 - i);
    }
  }
}

/// One of p = e^(1/c) sqrt((c - 2) / c) graphs is acyclic (the dissertation's equation 3.2).
TEST(Mwhc, TakesAsManyGraphsAsTheorySays) {
  const double p = std::exp(1 / 2.09) * std::sqrt(0.09 / 2.09);
  for (const Range range : {Range::modulo, Range::unbiased}) {
    EXPECT_NEAR(mean_attempts("mwhc2", 4000, range), 1 / p, 0.8);
  }
  EXPECT_LT(mean_attempts("mwhc3", 8000, Range::modulo), 1.4);
}

/// 4 bytes each of ceil(2.09 n), ceil(1.23 n) and ceil(3.5 n / (log2 n + 1)) entries: for the
/// dissertation's 10,935,928 keys, 87.2, 51.3 and 6.0 MiB.
TEST(Seeds, HaveTheDissertationsOverheads) {
  constexpr std::uint64_t kKeys = 10'935'928;
  constexpr double kMebibyte = 1 << 20;
  EXPECT_EQ(mwhc_vertices(2, kKeys), 22'856'090U);
  EXPECT_EQ(mwhc_vertices(3, kKeys), 13'451'192U);
  EXPECT_NEAR(4 * mwhc_vertices(2, kKeys) / kMebibyte, 87.2, 0.05);
  EXPECT_NEAR(4 * mwhc_vertices(3, kKeys) / kMebibyte, 51.3, 0.05);
  EXPECT_NEAR(4 * fch_buckets(kKeys) / kMebibyte, 6.0, 0.05);
  const auto hashes = random_hashes(10'000);
  const auto bytes = [&](std::string_view name) {
    return build_section(hashes, 1, named(name)).size() - kHeaderBytes;
  };
  EXPECT_EQ(bytes("mwhc2"), 4U * 20'900);
  EXPECT_EQ(bytes("mwhc3"), 4U * 12'300);
  EXPECT_EQ(bytes("bmz"), 4U * 11'500);
  EXPECT_EQ(bytes("fch"), 4U * fch_buckets(10'000));
  EXPECT_EQ(bytes("bdz"), 49U * (64 + 4));  // blocks of 256 vertices, two bits each, and a count
}

TEST(Fch, HasAsManyBucketsAsItsFormulaSays) {
  for (const std::uint64_t n :
       {1U, 2U, 3U, 5U, 100U, 1000U, 65'536U, 1'000'000U, 10'935'928U, 1U << 30}) {
    const double exact = 3.5 * static_cast<double>(n) / (std::log2(static_cast<double>(n)) + 1);
    EXPECT_NEAR(fch_buckets(n), std::ceil(exact), 1 + exact * 1e-5) << n;
    EXPECT_GE(fch_buckets(n), 4U);
  }
}

TEST(Fch, SendsSixtyPercentToThirtyPercent) {
  constexpr std::uint32_t kKeys = 100'000;
  constexpr std::uint32_t kBuckets = 20'000;
  const FchMapping mapping(Range::modulo, kKeys, kBuckets);
  std::vector<unsigned> sizes(kBuckets);
  for (std::uint32_t i = 0; i < kKeys; ++i) ++sizes[mapping.bucket(i)];
  for (std::uint32_t b = 0; b < kBuckets; ++b) {
    if (b < 6000) {
      EXPECT_EQ(sizes[b], 10U);
    } else {
      EXPECT_TRUE(sizes[b] == 2 || sizes[b] == 3) << sizes[b];
    }
  }
}

/// A few clusters of keys that no h20 is likely to keep apart ask for another mapping at once.
TEST(Fch, GivesUpAMappingWithHugeBuckets) {
  FchBuckets buckets;
  buckets.hashes = random_hashes(200);
  buckets.numbers = {0};
  buckets.sizes = {200};
  FchCounts counts;
  EXPECT_FALSE(search_fch(buckets, 84, Range::modulo, counts));
  EXPECT_EQ(counts.patterns, 0U);
}

TEST(Fch, CountsPatternsAndAlignments) {
  FchBuckets buckets;
  buckets.hashes = random_hashes(100);
  for (std::uint32_t b = 0; b < 50; ++b) {
    buckets.numbers.push_back(b);
    buckets.sizes.push_back(b < 25 ? 3 : 1);
  }
  FchCounts counts;
  const auto rotations = search_fch(buckets, 50, Range::unbiased, counts);
  ASSERT_TRUE(rotations);
  EXPECT_EQ(rotations->g.size(), 50U);
  EXPECT_EQ(counts.patterns, rotations->pattern_salt + 1U);
  EXPECT_GE(counts.alignments, 50U);
}

class SeedsCorrupt : public testing::TestWithParam<std::string_view> {
 protected:
  const mphf::Builder& algorithm() const { return named(GetParam()); }
  bool survives(const base::Bytes& section, const std::vector<Hash128>& probes) const {
    return test::survives(algorithm().algorithm().open, section, probes);
  }
};
INSTANTIATE_TEST_SUITE_P(Algorithms, SeedsCorrupt, testing::ValuesIn(kNames),
                         [](const auto& row) { return std::string(row.param); });

TEST_P(SeedsCorrupt, EveryTruncationIsRefused) {
  for (const std::uint64_t n : {0U, 1U, 100U}) {
    const base::Bytes section = build_section(random_hashes(n), 1, algorithm());
    for (std::size_t size = 0; size < section.size(); ++size) {
      const base::Bytes cut(section.begin(), section.begin() + static_cast<std::ptrdiff_t>(size));
      ASSERT_FALSE(survives(cut, {})) << "n = " << n << ", cut at " << size;
    }
  }
}

TEST_P(SeedsCorrupt, TrailingBytesAreRefused) {
  for (const std::uint64_t n : {0U, 300U}) {
    base::Bytes section = build_section(random_hashes(n), 1, algorithm());
    section.resize(section.size() + 4);
    EXPECT_FALSE(survives(section, {}));
  }
}

TEST_P(SeedsCorrupt, EveryByteOfASmallSection) {
  const auto hashes = random_hashes(150);
  base::Bytes section = build_section(hashes, 1, algorithm());
  for (std::byte& byte : section) {
    const std::byte original = byte;
    for (const unsigned flip : {0x01U, 0x10U, 0x80U, 0xffU}) {
      byte = original ^ std::byte(flip);
      survives(section, hashes);
    }
    byte = original;
  }
}

/// Fields out of their range, with everything else as it was.
TEST_P(SeedsCorrupt, FieldsOutOfRangeAreRefused) {
  const base::Bytes section = build_section(random_hashes(100), 1, algorithm());
  const auto with = [&](std::size_t offset, std::uint8_t value) {
    base::Bytes changed = section;
    changed[offset] = std::byte{value};
    return changed;
  };
  EXPECT_FALSE(survives(with(4, 1), {})) << "2^32 keys";
  EXPECT_FALSE(survives(with(12, 1), {})) << "2^32 entries";
  EXPECT_FALSE(survives(with(24, kRanges), {})) << "range";
  EXPECT_FALSE(survives(with(25, 4), {})) << "arity";
  EXPECT_FALSE(survives(with(26, 1), {})) << "zero bytes";
  EXPECT_FALSE(survives(with(31, 1), {})) << "zero bytes";
  if (GetParam() != "fch") {
    EXPECT_FALSE(survives(with(20, 1), {})) << "pattern salt";
  }
  base::Bytes no_keys = section;
  std::fill_n(no_keys.begin(), 8, std::byte{0});
  EXPECT_FALSE(survives(no_keys, {}));
  base::Bytes no_entries(section.begin(), section.begin() + kHeaderBytes);
  std::fill_n(no_entries.begin() + 8, 8, std::byte{0});
  EXPECT_FALSE(survives(no_entries, {}));
}

/// The bytes are a file format: they change only with its version, and not with the machine.
TEST(SeedsBytes, ArePinned) {
  const auto digest = [](std::string_view name, Range range) {
    const base::Bytes section =
        build_section(random_hashes(3000, 1), 1, named(name), {.range = range});
    return test::digest_of(section);
  };
  EXPECT_EQ(digest("mwhc2", Range::modulo), 18037785317129751743U);
  EXPECT_EQ(digest("mwhc2", Range::mask_xor), 4353323229065127514U);
  EXPECT_EQ(digest("mwhc2", Range::unbiased), 11258083456015095281U);
  EXPECT_EQ(digest("mwhc3", Range::modulo), 16683995210793334599U);
  EXPECT_EQ(digest("mwhc3", Range::mask_xor), 11597475659524974381U);
  EXPECT_EQ(digest("mwhc3", Range::unbiased), 17474289101113472541U);
  EXPECT_EQ(digest("fch", Range::modulo), 14047934434016646681U);
  EXPECT_EQ(digest("fch", Range::mask_xor), 5074820594928352900U);
  EXPECT_EQ(digest("fch", Range::unbiased), 1582466536705543420U);
  EXPECT_EQ(digest("bmz", Range::modulo), 7906271196259679152U);
  EXPECT_EQ(digest("bmz", Range::mask_xor), 7126699390204924047U);
  EXPECT_EQ(digest("bmz", Range::unbiased), 6780631374296477286U);
  EXPECT_EQ(digest("bdz", Range::modulo), 17455267722373196248U);
  EXPECT_EQ(digest("bdz", Range::mask_xor), 10433020457068446693U);
  EXPECT_EQ(digest("bdz", Range::unbiased), 13490748463546620465U);
}

}  // namespace
}  // namespace crivo::classic
