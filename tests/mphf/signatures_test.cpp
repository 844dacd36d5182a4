// SPDX-License-Identifier: Apache-2.0
// Signatures stand in the order of ranks, those of bumped keys too.

#include "structures/signatures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "build/chosen.hpp"
#include "crivo/error.hpp"
#include "mphf/build.hpp"
#include "structures/build/signatures.hpp"
#include "support/hashes.hpp"
#include "support/sanitizers.hpp"
#include "support/signed_function.hpp"

namespace crivo {
namespace {

constexpr std::uint64_t kAll = UINT64_MAX;

/// Of two partitions, or four.
constexpr std::uint64_t kManyKeys = test::kSanitized ? 800'000 : 1'700'000;

const mphf::Builder& find_algorithm(std::string_view name) {
  return *std::ranges::find(mphf::builders(), name, &mphf::Builder::name);
}

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
  const mphf::Builder& algorithm = find_algorithm(GetParam());
  const std::uint64_t large = algorithm.algorithm().of_seeds ? 30'000 : kManyKeys;
  for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5000}, large}) {
    const auto hashes = test::random_hashes(n, 3);
    const auto keys = stream::SortedHashes::from_unsorted(hashes);
    for (const unsigned threads : {1U, 3U}) {
      base::Progress progress;
      const base::BuildContext context{threads, progress};
      for (const unsigned bits : {8U, 16U, 32U}) {
        if (n == large && (threads == 1) != (bits == 8)) continue;  // it takes long
        base::MemorySink section;
        const test::SignedFunction built(keys, algorithm, bits, context, section);
        base::MemorySink sink;
        built.write_signatures(sink);
        const mphf::Signatures read(base::ByteView(sink.view()), n);
        EXPECT_EQ(read.bits(), bits);
        const base::ByteView array = sink.view().last(n * (bits / 8));
        EXPECT_TRUE(std::ranges::equal(array, by_definition(hashes, *built.function, bits)))
            << "n = " << n << ", " << threads << " threads";
      }
    }
  }
}

class BumpedKeys : public testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Algorithms, BumpedKeys, testing::Values("fast", "tiny"),
                         [](const auto& row) { return std::string(row.param); });

/// Else their signatures would be lost, or others'.
TEST_P(BumpedKeys, AreThoseWhoseRanksAreElsewhere) {
  const auto hashes = test::random_hashes(kManyKeys, 3);
  const auto keys = stream::SortedHashes::from_unsorted(hashes);
  base::Progress progress;
  const base::BuildContext context{2, progress};
  base::MemorySink section;
  const mphf::Builder& algorithm = find_algorithm(GetParam());
  std::vector<std::uint64_t> first_ranks{0};  // of the partitions
  const auto built = algorithm.build(
      keys, {.contents = {.signature_bits = 8}}, context, section, [&](const Part& part) {
        first_ranks.push_back(first_ranks.back() + part.signatures.size());
      });
  const auto function = algorithm.algorithm().open(base::ByteView(section.view()));
  std::set<std::pair<std::uint64_t, std::uint64_t>> elsewhere;
  for (const Hash128& hash : hashes) {
    const std::uint64_t partition = hash.hi >> (64 - built->partition_bits());
    const std::uint64_t rank = function->rank(hash);
    if (rank < first_ranks[partition] || rank >= first_ranks[partition + 1])
      elsewhere.emplace(rank, hash.lo);
  }
  mphf::RankedBumped bumped(built->bumped(), *function, context);
  EXPECT_LT(bumped.size(), hashes.size() / 60);
  std::set<std::pair<std::uint64_t, std::uint64_t>> listed;
  std::uint64_t below = 0;
  for (const std::uint64_t end : {std::uint64_t{0}, std::uint64_t{1000}, first_ranks[2], kAll}) {
    for (mphf::RankedKey bumped_key{}; bumped.take_below(end, bumped_key);) {
      ASSERT_GE(bumped_key.rank, below);
      ASSERT_LT(bumped_key.rank, end);
      listed.emplace(bumped_key.rank, bumped_key.lo);
      below = bumped_key.rank + 1;
    }
  }
  EXPECT_EQ(listed.size(), bumped.size());
  EXPECT_TRUE(std::ranges::includes(listed, elsewhere));
}

/// What is held back goes to temporary files where the scratch has less memory: the bytes stay.
TEST_P(BumpedKeys, MayBeSpilled) {
  const auto keys = stream::SortedHashes::from_unsorted(test::random_hashes(kManyKeys, 4));
  const mphf::Builder& algorithm = find_algorithm(GetParam());
  std::vector<base::Bytes> written;
  for (const std::uint64_t memory : {kAll, std::uint64_t{1} << 16}) {
    base::Progress progress;
    base::Scratch scratch(testing::TempDir(), memory, progress);
    const base::BuildContext context{2, progress, &scratch};
    base::MemorySink section;
    const test::SignedFunction built(keys, algorithm, 16, context, section);
    const std::uint64_t of_keys = scratch.temp_bytes();
    base::MemorySink signatures;
    built.write_signatures(signatures);
    EXPECT_EQ(of_keys != 0, memory != kAll);
    EXPECT_EQ(scratch.temp_bytes() > of_keys, memory != kAll);
    written.push_back(section.take());
    written.push_back(signatures.take());
  }
  EXPECT_TRUE(written[0] == written[2] && written[1] == written[3]);
}

/// Runs of parts with the bumped keys' between them are one array, for every rank and beyond the
/// runs.
TEST(PartSignatures, AreThoseOfOneArray) {
  constexpr std::uint64_t kKeys = 140'000;
  const auto hashes = test::random_hashes(kKeys, 5);
  const auto is_bumped = [](std::uint64_t rank) { return rank % 97 == 3 || rank >= kKeys - 500; };
  for (const unsigned bits : {8U, 16U, 32U}) {
    const std::uint64_t width = bits / 8;
    base::Bytes array((kKeys - 500) * width);
    std::vector<mphf::RankedKey> bumped;
    for (std::uint64_t rank = 0; rank < kKeys; ++rank) {
      if (is_bumped(rank)) {
        bumped.push_back({rank, hashes[rank].lo});
      } else {
        mphf::put_signature(array.data(), rank, hashes[rank], bits);
      }
    }
    base::MemorySink sink;
    std::size_t taken = 0;
    const auto next = [&](mphf::RankedKey& bumped_key) {
      if (taken == bumped.size()) return false;
      bumped_key = bumped[taken++];
      return true;
    };
    mphf::write_bumped(next, kKeys, bits, nullptr, sink);
    const base::Bytes encoded = sink.take();
    std::vector<mphf::SignatureRun> runs;
    for (const std::uint64_t first : {0U, 1U, 70'000U, 70'001U}) {
      if (!runs.empty())
        runs.back().bytes = runs.back().bytes.first((first - runs.back().first) * width);
      runs.push_back({first, base::ByteView(array).subspan(first * width)});
    }
    const mphf::PartSignatures parts(runs, base::ByteView(encoded), kKeys);
    for (std::uint64_t rank = 0; rank < kKeys; ++rank) {
      parts.prefetch(rank);
      ASSERT_EQ(parts.at(rank), hashes[rank].lo >> (64 - bits)) << rank;
      ASSERT_TRUE(parts.match(rank, hashes[rank]));
    }
    runs[2].first = 70'002;
    EXPECT_THROW(mphf::PartSignatures(runs, base::ByteView(encoded), kKeys), Error);
    EXPECT_THROW(mphf::PartSignatures({}, base::ByteView(encoded).first(encoded.size() - 1), kKeys),
                 Error);
    EXPECT_THROW(mphf::PartSignatures({}, base::ByteView(encoded), kKeys + 1), Error);
  }
}

}  // namespace
}  // namespace crivo
