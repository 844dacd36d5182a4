// SPDX-License-Identifier: Apache-2.0
#include "structures/signatures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "crivo/error.hpp"
#include "mphf/build.hpp"
#include "support/hashes.hpp"

namespace crivo {
namespace {

/// The array by definition.
base::Bytes by_definition(const std::vector<Hash128>& hashes, const mphf::Function& function,
                          unsigned bits) {
  base::Bytes array(hashes.size() * (bits / 8));
  for (const Hash128& hash : hashes) {
    std::array<std::byte, 8> top{};
    base::store_le(top.data(), hash.lo >> (64 - bits));
    std::copy_n(top.begin(), bits / 8, array.data() + function.rank(hash) * (bits / 8));
  }
  return array;
}

class Signatures : public testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Algorithms, Signatures, testing::Values("fast", "compact", "tiny", "bdz"),
                         [](const auto& row) { return std::string(row.param); });

TEST_P(Signatures, StandInTheOrderOfTheRanks) {
  const auto all = mphf::algorithms();
  const mphf::Algorithm& algorithm = *std::ranges::find(all, GetParam(), &mphf::Algorithm::name);
  const std::uint64_t large = algorithm.of_seeds ? 30'000 : 1'700'000;  // four partitions
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5000}, large}) {
    const auto hashes = test::random_hashes(n, 3);
    const auto keys = stream::SortedHashes::from_unsorted(hashes);
    for (const unsigned threads : {1U, 3U}) {
      base::Progress progress;
      const base::BuildContext context{threads, progress};
      base::MemorySink section;
      const std::vector<Hash128> strays =
          algorithm.build(keys, {.wants_strays = true}, context, section);
      const auto function = algorithm.open(section.view());
      for (const unsigned bits : {8U, 16U, 32U}) {
        base::MemorySink sink;
        write_signatures(keys, *function, strays, bits, context, sink);
        const mphf::Signatures read(sink.view(), n);
        EXPECT_EQ(read.bits(), bits);
        const base::ByteView array = sink.view().last(n * (bits / 8));
        EXPECT_TRUE(std::ranges::equal(array, by_definition(hashes, *function, bits)))
            << "n = " << n << ", " << threads << " threads";
        EXPECT_EQ(progress.done(), n);
      }
    }
  }
}

/// A builder may not have said which keys have ranks elsewhere: then their signatures would be
/// lost.
TEST(Strays, AreThoseWhoseRanksAreElsewhere) {
  const auto hashes = test::random_hashes(1'700'000, 3);
  const auto keys = stream::SortedHashes::from_unsorted(hashes);
  base::Progress progress;
  base::MemorySink section;
  std::vector<Hash128> strays =
      test::fast().build(keys, {.wants_strays = true}, {2, progress}, section);
  std::ranges::sort(strays);
  EXPECT_LT(strays.size(), hashes.size() / 60);
  const auto function = test::fast().open(section.view());
  const unsigned bits = function->rank_partition_bits();
  ASSERT_EQ(bits, 2U);
  EXPECT_EQ(function->first_rank(0), 0U);
  EXPECT_EQ(function->first_rank(4), hashes.size());
  for (const Hash128& hash : hashes) {
    if (std::ranges::binary_search(strays, hash)) continue;
    const std::uint64_t partition = hash.hi >> (64 - bits);
    ASSERT_GE(function->rank(hash), function->first_rank(partition));
    ASSERT_LT(function->rank(hash), function->first_rank(partition + 1));
  }
}

/// Runs of parts with the strays' between them are one array, for every rank and beyond the runs.
TEST(PartSignatures, AreThoseOfOneArray) {
  constexpr std::uint64_t kKeys = 140'000;
  const auto hashes = test::random_hashes(kKeys, 5);
  const auto is_stray = [](std::uint64_t rank) { return rank % 97 == 3 || rank >= kKeys - 500; };
  for (const unsigned bits : {8U, 16U, 32U}) {
    const std::uint64_t width = bits / 8;
    base::Bytes array((kKeys - 500) * width);
    std::vector<mphf::RankedStray> strays;
    for (std::uint64_t rank = 0; rank < kKeys; ++rank) {
      if (is_stray(rank)) {
        strays.push_back({rank, hashes[rank]});
      } else {
        mphf::put_signature(array.data(), rank, hashes[rank], bits);
      }
    }
    const base::Bytes encoded = mphf::encode_strays(strays, kKeys, bits);
    std::vector<mphf::SignatureRun> runs;
    for (const std::uint64_t first : {0U, 1U, 70'000U, 70'001U}) {
      if (!runs.empty())
        runs.back().bytes = runs.back().bytes.first((first - runs.back().first) * width);
      runs.push_back({first, base::ByteView(array).subspan(first * width)});
    }
    const mphf::PartSignatures parts(runs, encoded, kKeys);
    for (std::uint64_t rank = 0; rank < kKeys; ++rank) {
      parts.prefetch(rank);
      ASSERT_EQ(parts.at(rank), hashes[rank].lo >> (64 - bits)) << rank;
      ASSERT_TRUE(parts.match(rank, hashes[rank]));
    }
    runs[2].first = 70'002;
    EXPECT_THROW(mphf::PartSignatures(runs, encoded, kKeys), Error);
    EXPECT_THROW(mphf::PartSignatures({}, base::ByteView(encoded).first(encoded.size() - 1), kKeys),
                 Error);
    EXPECT_THROW(mphf::PartSignatures({}, encoded, kKeys + 1), Error);
  }
}

}  // namespace
}  // namespace crivo
