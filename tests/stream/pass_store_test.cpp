// SPDX-License-Identifier: Apache-2.0
// A stream that is there by runs of partitions gives what the whole one does, in one reading a run.

#include "stream/pass_store.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <vector>

#include "base/parallel.hpp"
#include "stream/streamed_keys.hpp"
#include "support/hashes.hpp"
#include "support/temp_directory.hpp"

namespace crivo::stream {
namespace {

constexpr unsigned kRunBits = 6;
constexpr std::uint64_t kRuns = std::uint64_t{1} << kRunBits;

/// Hashes that are read by runs of partitions, and what is asked of them.
struct PassStores : testing::Test {
  PassStore<Hash128> store(std::uint64_t passes, std::uint64_t memory_bytes = UINT64_MAX) {
    const StreamOptions options{
        .memory_bytes = std::max(memory_bytes, least_stream_bytes(1, kRunBits)),
        .temp_dir = directory.path(),
        .partition_bits = kRunBits};
    return PassStore<Hash128>(options, passes,
                              [this](KeyStream<Hash128>& stream, const PartitionRun& run) {
                                ++readings;
                                if (failing == readings)
                                  throw std::runtime_error("a reading that fails");
                                for (const Hash128& hash : hashes) {
                                  const std::uint64_t partition = base::top_bits(hash.hi, kRunBits);
                                  if (partition >= run.begin && partition < run.end)
                                    stream.writer(0).add(hash);
                                }
                              });
  }

  Totals totals() const {
    Totals totals{.hashed_keys = hashes.size(), .partitions = std::vector<std::uint64_t>(kRuns)};
    for (const Hash128& hash : hashes) ++totals.partitions[base::top_bits(hash.hi, kRunBits)];
    return totals;
  }

  /// All keys of `store`, by `threads`.
  std::vector<Hash128> all_of(PassStore<Hash128>& store, unsigned threads) const {
    base::Progress progress;
    const base::BuildContext context{threads, progress};
    const StreamedKeys<Hash128> keys(store, totals(), {}, std::uint64_t{1} << 30);
    std::vector<Hash128> all;
    keys.for_each_partition(
        kRunBits, {}, context,
        [](std::uint64_t, const KeySlice& some) {
          return std::vector<Hash128>(some.hashes.begin(), some.hashes.end());
        },
        [&](std::uint64_t, std::vector<Hash128> some) {
          all.insert(all.end(), some.begin(), some.end());
        });
    return all;
  }

  const test::TempDirectory directory;
  const std::vector<Hash128> hashes = test::ascending_hashes(50'000);
  std::uint64_t readings = 0;
  std::optional<std::uint64_t> failing{};  ///< the reading that does
};

TEST_F(PassStores, GiveAllKeysInOneReadingARun) {
  for (const std::uint64_t passes : {1, 2, 3, 7, 64, 1000}) {
    for (const unsigned threads : {1U, 4U}) {
      for (const bool spills : {false, true}) {
        readings = 0;
        PassStore<Hash128> some = store(passes, spills ? 0 : UINT64_MAX);
        EXPECT_EQ(all_of(some, threads), hashes);
        EXPECT_EQ(readings, std::min(passes, kRuns));
        EXPECT_LE(some.temp_bytes(), 2 * hashes.size() * sizeof(Hash128) / passes);
        EXPECT_TRUE(passes > 1 || (some.temp_bytes() != 0) == spills);
      }
    }
  }
}

TEST_F(PassStores, GiveThemAgainInAsManyReadings) {
  PassStore<Hash128> some = store(4);
  EXPECT_EQ(all_of(some, 2), hashes);
  EXPECT_EQ(all_of(some, 2), hashes);
  EXPECT_EQ(readings, 8U);
}

TEST_F(PassStores, GiveAnyPartitionInAnyOrder) {
  PassStore<Hash128> some = store(5);
  for (std::uint64_t i = 0; i < 8; ++i) {
    const std::uint64_t partition = (i * 37) % kRuns;
    std::uint64_t found = 0;
    for (const auto run : some.read(partition).all) {
      found += run.size();
      for (const Hash128& hash : run) EXPECT_EQ(base::top_bits(hash.hi, kRunBits), partition);
    }
    some.for_each_piece(partition, [&](std::span<const Hash128> piece) {
      found += piece.size();
      return true;
    });
    EXPECT_EQ(found, 2 * totals().partitions[partition]);
  }
}

TEST_F(PassStores, LetAFailureOfAReadingOut) {
  PassStore<Hash128> some = store(4);
  failing = 3;
  EXPECT_THROW(all_of(some, 3), std::runtime_error);
  EXPECT_EQ(all_of(some, 3), hashes);
}

}  // namespace
}  // namespace crivo::stream
