// SPDX-License-Identifier: Apache-2.0
// Keys that are not spread as random ones are told before memory runs out.

#include "stream/key_spread.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/arithmetic.hpp"
#include "crivo/detail/xxh3.hpp"
#include "stream/streamed_keys.hpp"
#include "support/chosen_keys.hpp"
#include "support/hashes.hpp"
#include "support/temp_directory.hpp"

namespace crivo::stream {
namespace {

using base::BuildContext;

/// log2 of the probability that a cell of n random hashes has more than `most` of them.
double log2_of_more(std::uint64_t n, unsigned cell_bits, std::uint64_t most) {
  const double mean = std::ldexp(static_cast<double>(n), -static_cast<int>(cell_bits));
  const auto k = static_cast<double>(most + 1);
  // Poisson, whose terms from k on are less than those of a geometric series.
  const double first = k * std::log(mean) - mean - std::lgamma(k + 1);
  return (first - std::log(1 - mean / k)) / std::numbers::ln2;
}

TEST(KeySpread, IsMissedByChanceLessThanOnceIn2To64Sets) {
  for (const std::uint64_t n : {65'537ULL, 100'000ULL, 5'000'000ULL, 1'000'000'000'000ULL}) {
    const KeySpread spread = KeySpread::of(n);
    const double all_cells = log2_of_more(n, spread.cell_bits, spread.most) + spread.cell_bits;
    EXPECT_LE(all_cells, -64) << n;
    EXPECT_GE(all_cells, -80) << n;  // and hardly less, or more keys than need be would do
  }
}

TEST(KeySpread, AllowsForKeysWithOneHalf) {
  constexpr std::uint64_t kAlike = 4096;
  for (const std::uint64_t n : {100'000'000ULL, 1'000'000'000'000ULL}) {
    const KeySpread spread = KeySpread::of(n, kAlike);
    const double all_cells =
        log2_of_more(n / kAlike, spread.cell_bits, spread.most / kAlike) + spread.cell_bits;
    EXPECT_LE(all_cells, -64) << n;
    EXPECT_GE(all_cells, -120) << n;
  }
}

TEST(KeySpread, LetsFewKeysBeSpreadInAnyWay) {
  EXPECT_EQ(KeySpread::of(KeySpread::kAnyKeys).most, UINT64_MAX);
  EXPECT_EQ(KeySpread::of(KeySpread::kAnyKeys).most_in(0), UINT64_MAX);
  EXPECT_EQ(KeySpread::of(0).most, UINT64_MAX);
}

TEST(ChosenKeys, HaveTheHashesThatTheyWereMadeFor) {
  for (std::uint64_t i = 0; i < 64; ++i) {
    for (const std::uint64_t hi : {i, std::uint64_t{1} << i, base::mix64(i)}) {
      EXPECT_EQ(detail::first_half(test::key_with_hi(hi), std::uint64_t{0}), hi);
      EXPECT_EQ(detail::first_half(test::key_with_hi(hi, i * i), i * i), hi);
      EXPECT_EQ(detail::xxh64(test::key_with_xxh64(hi)), hi);
    }
  }
}

enum class Where { memory, file };

/// Whether the hashes pass, in 2^bits partitions of a stream.
template <typename HashedKey = Hash128>
bool passes(const std::vector<Hash128>& hashes, unsigned bits, Where where = Where::memory,
            bool keep_repeats = false) {
  const test::TempDirectory directory;
  StreamOptions options{.temp_dir = directory.path(), .partition_bits = bits};
  if (where == Where::file)
    options.memory_bytes = std::max<std::uint64_t>(least_stream_bytes(1, bits), 1 << 18);
  KeyStream<HashedKey> stream(options);
  for (const Hash128& hash : hashes) {
    if constexpr (kHasValue<HashedKey>) {
      stream.writer(0).add({hash, hash.lo});
    } else {
      stream.writer(0).add(hash);
    }
  }
  StreamedKeys<HashedKey> keys(stream, stream.finish(), {}, UINT64_MAX);
  base::Progress progress;
  const BuildContext context{1, progress};
  try {
    keys.expect_spread(hashes.size());
    if (keep_repeats) {
      keys.keep_repeats();
    } else {
      (void)keys.drop_repeats(context);
    }
    keys.for_each({}, context, [](const KeySlice&) {});
    return true;
  } catch (const UnevenHashes&) {
    return false;
  }
}

/// Hashed keys of which one hash has far more than its partition may have hashes: they are sorted
/// some at a time.
template <typename HashedKey>
class Folded : public testing::Test {
 protected:
  static constexpr std::uint64_t kEqual = 400'000;
  static constexpr unsigned kBits = 5;

  static HashedKey hashed(const Hash128& hash, std::uint64_t value) {
    if constexpr (requires { HashedKey{}.place; }) {
      return {hash, value, value};
    } else if constexpr (kHasValue<HashedKey>) {
      return {hash, value};
    } else {
      return hash;
    }
  }

  /// Calls use(keys, context) for a stream in memory and for one that is spilled. The values of the
  /// hash that is there so often are 5 and 6, the first and the last of all.
  template <typename Use>
  void for_each_stream(const Use& use) const {
    for (const Where where : {Where::memory, Where::file}) {
      const test::TempDirectory directory;
      StreamOptions options{.temp_dir = directory.path(), .partition_bits = kBits};
      if (where == Where::file) options.memory_bytes = least_stream_bytes(1, kBits);
      KeyStream<HashedKey> stream(options);
      auto& writer = stream.writer(0);
      writer.add(hashed(hashes_.front(), 5));
      for (const Hash128& hash : hashes_) writer.add(hashed(hash, 7));
      for (std::uint64_t i = 2; i < kEqual; ++i) writer.add(hashed(hashes_.front(), 6));
      StreamedKeys<HashedKey> keys(stream, stream.finish(), {}, UINT64_MAX);
      base::Progress progress;
      keys.expect_spread(keys.size());
      use(keys, BuildContext{1, progress});
    }
  }
  /// Calls visit(hash, value) for all keys of the hash that is there so often, and returns how many
  /// others there are.
  template <typename Visit>
  std::uint64_t others(const HashSource& keys, const BuildContext& context,
                       const Visit& visit) const {
    std::uint64_t count = 0;
    keys.for_each({}, context, [&](const KeySlice& slice) {
      for (std::size_t i = 0; i < slice.size(); ++i) {
        if (slice.hashes[i] == hashes_.front()) {
          visit(slice.values.empty() ? 0 : slice.values[i]);
        } else {
          ++count;
        }
      }
    });
    return count;
  }

  const std::vector<Hash128> hashes_ = test::random_hashes(100'000);
};

using HashedKeys = testing::Types<Hash128, HashedValue, PlacedValue>;
TYPED_TEST_SUITE(Folded, HashedKeys);

TYPED_TEST(Folded, HashesThatAreThereTooOften) {
  this->for_each_stream([&](auto& keys, const BuildContext& context) {
    EXPECT_THROW(keys.for_each({}, context, [](const KeySlice&) {}), RepeatedHashes);
    EXPECT_EQ(keys.drop_repeats(context), std::vector{this->hashes_.front()});
    EXPECT_EQ(keys.size(), this->hashes_.size());
    std::vector<std::uint64_t> values;
    const std::uint64_t others =
        this->others(keys, context, [&](std::uint64_t value) { values.push_back(value); });
    EXPECT_EQ(others, this->hashes_.size() - 1);
    EXPECT_EQ(values, std::vector<std::uint64_t>{kHasValue<TypeParam> ? 5U : 0U});
  });
}

TYPED_TEST(Folded, KeysOrSomeOfEachHash) {
  this->for_each_stream([&](auto& keys, const BuildContext& context) {
    keys.keep_values();
    std::vector<std::uint64_t> values;
    EXPECT_EQ(this->others(keys, context, [&](std::uint64_t value) { values.push_back(value); }),
              this->hashes_.size() - 1);
    EXPECT_EQ(values, kHasValue<TypeParam> ? (std::vector<std::uint64_t>{5, 6, 7})
                                           : (std::vector<std::uint64_t>{0}));
    keys.keep_repeats();
    std::uint64_t count = 0;
    EXPECT_EQ(this->others(keys, context, [&](std::uint64_t) { ++count; }),
              this->hashes_.size() - 1);
    EXPECT_EQ(count, StreamedKeys<TypeParam>::kMostEqual);
  });
}

/// Whatever the partitions of the stream are, and wherever its keys.
void expect_passing(bool expected, const std::vector<Hash128>& hashes, const char* what) {
  for (const unsigned bits : {0U, 3U, 11U}) {
    for (const Where where : {Where::memory, Where::file}) {
      EXPECT_EQ(passes(hashes, bits, where), expected) << what << ", " << bits;
    }
  }
  EXPECT_EQ(passes<HashedValue>(hashes, 2), expected) << what;
  EXPECT_EQ(passes(hashes, 2, Where::memory, true), expected) << what;
}

constexpr std::uint64_t kMore = KeySpread::kAnyKeys + 1;

TEST(StreamedKeys, MustBeSpreadLikeRandomOnes) {
  expect_passing(true, test::random_hashes(kMore), "random");
  std::vector<Hash128> chosen(kMore);
  for (std::uint64_t i = 0; i < kMore; ++i) chosen[i] = {i, i};
  expect_passing(false, chosen, "chosen");
  chosen.pop_back();
  EXPECT_TRUE(passes(chosen, 3));
}

TEST(StreamedKeys, HaveNoCellWithAKeyTooMany) {
  const KeySpread spread = KeySpread::of(kMore);
  const std::uint64_t others = (std::uint64_t{1} << spread.cell_bits) - 1;
  for (const std::uint64_t more : {0U, 1U}) {
    auto hashes = test::random_hashes(kMore);
    for (std::uint64_t i = 0; i < kMore; ++i) {
      const std::uint64_t other = i % others + (i % others >= 3 ? 1 : 0);
      const std::uint64_t cell = i < spread.most + more ? 3 : other;
      hashes[i].hi = cell << (64 - spread.cell_bits) | hashes[i].hi >> spread.cell_bits;
    }
    expect_passing(more == 0, hashes, "a full cell");
  }
}

TEST(StreamedKeys, MayBeRepeatedAsOftenAsOneLikes) {
  std::vector<Hash128> hashes = test::random_hashes(1000);
  for (int i = 0; i < 100'000; ++i) hashes.push_back(hashes[static_cast<std::size_t>(i % 7)]);
  expect_passing(true, hashes, "repeats");
}

}  // namespace
}  // namespace crivo::stream
