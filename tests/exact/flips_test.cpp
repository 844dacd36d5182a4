// SPDX-License-Identifier: Apache-2.0
// Lists of flips by themselves: what is written is read, each key of a universe is asked, and bytes
// are damaged.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"
#include "structures/exact/build/flip_encoder.hpp"
#include "structures/exact/flip_table.hpp"
#include "support/errors.hpp"
#include "support/hashes.hpp"

namespace crivo::exact {
namespace {

/// Keys of a universe by groups, in order.
std::vector<GroupedKey> universe_of(std::span<const std::uint64_t> sizes, std::uint64_t salt) {
  std::vector<GroupedKey> keys;
  for (std::uint64_t group = 0; group < sizes.size(); ++group) {
    for (const Hash128& hash : test::random_hashes(sizes[group], 16 * salt + group))
      keys.push_back({group, hash});
  }
  std::ranges::sort(keys);
  return keys;
}

struct Written {
  base::Bytes bits;
  FlipList list;
};

/// The list of the flips among `keys`.
Written list_of(std::span<const GroupedKey> keys, std::span<const std::uint64_t> sizes,
                std::span<const GroupedKey> flips, unsigned threads = 2) {
  std::vector<FlipGroup> groups;
  for (std::uint64_t group = 0; group < sizes.size(); ++group) {
    const auto count =
        static_cast<std::uint64_t>(std::ranges::count(flips, group, &GroupedKey::group));
    if (count != 0) groups.push_back({group, count, cell_bits_for(sizes[group], count)});
  }
  Written written{encode_flips(flips, keys, groups, threads), {}};
  written.list = {.flips = flips.size(), .listed = groups.size()};
  return written;
}

std::vector<GroupedKey> some_of(std::span<const GroupedKey> keys, std::uint64_t one_of,
                                std::uint64_t salt) {
  std::vector<GroupedKey> some;
  for (const GroupedKey& key : keys) {
    if (base::mix64(key.hash.lo + salt) % one_of == 0) some.push_back(key);
  }
  return some;
}

TEST(Flips, EachKeyOfTheUniverseHasTheParityOfItsLists) {
  const std::vector<std::uint64_t> sizes{40000, 1, 3, 0, 500, 17, 9000};
  const auto keys = universe_of(sizes, 1);
  for (const std::uint64_t one_of : {1U, 2U, 30U, 1000U, 100000U}) {
    SCOPED_TRACE(one_of);
    std::vector<Written> written;
    std::vector<std::vector<GroupedKey>> flips;
    for (std::uint64_t i = 0; i < 3; ++i) {
      flips.push_back(some_of(keys, one_of, i));
      written.push_back(list_of(keys, sizes, flips.back()));
    }
    std::vector<Delta> deltas;
    for (Written& one : written) {
      one.list.bits = one.bits;
      deltas.push_back({.grouped = true, .groups = sizes.size(), .lists = {one.list}});
    }
    const FlipTable table(deltas, sizes.size());
    std::uint64_t wrong = 0;
    for (const GroupedKey& key : keys) {
      bool odd = false;
      for (const auto& some : flips) odd ^= std::ranges::binary_search(some, key);
      wrong += table.is_flipped(table.place_of(key.group), key.hash) == odd ? 0 : 1;
    }
    EXPECT_EQ(wrong, 0U);
    EXPECT_LE(table.memory_bytes(), 16 * table.flips() + 4 * sizes.size() + 1000);
  }
}

TEST(Flips, TakeAboutTheirBound) {
  const std::vector<std::uint64_t> sizes{1 << 20};
  const auto keys = universe_of(sizes, 2);
  const auto flips = some_of(keys, 1000, 7);
  const Written written = list_of(keys, sizes, flips);
  // log2 C(N, n) is n (log2 (N / n) + 1.4427), about.
  const double n = static_cast<double>(flips.size());
  const double bound = n * (std::log2(static_cast<double>(keys.size()) / n) + 1.4427);
  const double ratio = 8 * static_cast<double>(written.bits.size()) / bound;
  RecordProperty("permille_of_bound", static_cast<int>(1000 * ratio));
  EXPECT_LT(ratio, 1.2);
}

}  // namespace
}  // namespace crivo::exact
