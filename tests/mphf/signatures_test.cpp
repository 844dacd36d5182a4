// SPDX-License-Identifier: Apache-2.0
#include "structures/signatures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

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

}  // namespace
}  // namespace crivo
