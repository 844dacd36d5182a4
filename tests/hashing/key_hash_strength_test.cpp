// SPDX-License-Identifier: Apache-2.0
// Whether each half of the usual key hash treats keys that are anything but random as chance would:
// what structures need of it. CRIVO_LONG=1 has 10^8 keys of each family in the place of 10^6 (some
// minutes, and 3 GB).

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "hashing/hash128.hpp"
#include "stream/sorted_hashes.hpp"

namespace crivo {
namespace {

#ifdef CRIVO_SANITIZED  // which find nothing in more of the same, and count ten times as long
constexpr std::uint64_t kUsualSize = 100'000;
#else
constexpr std::uint64_t kUsualSize = 1'000'000;
#endif

/// Keys that are made by number, no two of which are equal.
struct Family {
  const char* name;
  std::string (*key)(std::uint64_t);
  std::uint64_t most = UINT64_MAX;  ///< there are so many

  std::uint64_t size() const {
    const std::uint64_t wanted = std::getenv("CRIVO_LONG") != nullptr ? 100'000'000 : kUsualSize;
    return std::min(most, wanted);
  }
};

std::string bytes_of(std::uint64_t number) {
  std::string bytes(8, '\0');
  for (char& byte : bytes) {
    byte = static_cast<char>(number);
    number >>= 8;
  }
  return bytes;
}

constexpr std::uint64_t kTwoValues = 255 * 255;

/// kSize equal bytes but for two, which have all their other values at all pairs of places.
template <std::size_t kSize>
std::string two_bytes_differ(std::uint64_t i) {
  std::string key(kSize, 'k');
  std::size_t first = 0;
  std::uint64_t pair = i / kTwoValues;
  for (; pair >= kSize - 1 - first; ++first) pair -= kSize - 1 - first;
  key[first] = static_cast<char>('k' + 1 + i % 255);
  key[first + 1 + pair] = static_cast<char>('k' + 1 + i / 255 % 255);
  return key;
}
template <std::size_t kSize>
constexpr std::uint64_t kTwoBytes = kTwoValues* kSize*(kSize - 1) / 2;

/// kBlocks blocks of 16 bytes in all their orders, which a mere sum over the blocks would not see.
template <std::size_t kBlocks>
std::string permuted(std::uint64_t i) {
  std::string order;
  for (std::size_t b = 0; b < kBlocks; ++b) order += static_cast<char>('a' + b);
  for (std::size_t left = kBlocks; left > 1; --left) {
    std::swap(order[left - 1], order[i % left]);
    i /= left;
  }
  std::string key;
  key.reserve(16 * kBlocks + 8);
  for (const char block : order) key.append(16, block);
  return key += bytes_of(i);
}

const Family kFamilies[] = {
    {"Numbers", [](std::uint64_t i) { return bytes_of(i); }},
    {"NumbersInTheMiddle", [](std::uint64_t i) { return bytes_of(i << 20); }},
    {"NumbersAtTheTop", [](std::uint64_t i) { return bytes_of(i << 36); }},
    {"BigEndianNumbers", [](std::uint64_t i) { return bytes_of(__builtin_bswap64(i)); }},
    {"Multiples", [](std::uint64_t i) { return bytes_of(i * 0x1000100010001); }},
    {"Doubles",
     [](std::uint64_t i) {
       return bytes_of(std::bit_cast<std::uint64_t>(static_cast<double>(i)));
     }},
    {"Decimals", [](std::uint64_t i) { return std::to_string(i); }},
    {"PaddedDecimals", [](std::uint64_t i) { return std::to_string(1'000'000'000'000 + i); }},
    {"EqualPrefixes", [](std::uint64_t i) { return std::string(53, 'p') + std::to_string(i); }},
    {"EqualSuffixes", [](std::uint64_t i) { return std::to_string(i) + std::string(70, 's'); }},
    {"LongEqualPrefixes", [](std::uint64_t i) { return std::string(233, 'p') + bytes_of(i); }},
    {"LongEqualSuffixes", [](std::uint64_t i) { return bytes_of(i) + std::string(192, 's'); }},
    {"Urls",
     [](std::uint64_t i) {
       return "http://www.example" + std::to_string(i % 1000) +
              ".org/item?id=" + std::to_string(i / 1000);
     }},
    {"Doubled", [](std::uint64_t i) { return bytes_of(i) + bytes_of(i); }},
    {"Complemented", [](std::uint64_t i) { return bytes_of(i) + bytes_of(~i) + "x"; }},
    // The first byte of each word, which moves the upper half of a product least.
    {"LowBytesOfFourWords",
     [](std::uint64_t i) {
       std::string key(32, 'w');
       for (std::size_t word = 0; word < 4; ++word) key[8 * word] = bytes_of(i)[word];
       return key;
     },
     std::uint64_t{1} << 32},
    {"Zeros", [](std::uint64_t i) { return std::string(i, '\0'); }, 5000},
    {"TwoBytesOf8", two_bytes_differ<8>, kTwoBytes<8>},
    {"TwoBytesOf9", two_bytes_differ<9>, kTwoBytes<9>},
    {"TwoBytesOf16", two_bytes_differ<16>, kTwoBytes<16>},
    {"TwoBytesOf17", two_bytes_differ<17>, kTwoBytes<17>},
    {"TwoBytesOf64", two_bytes_differ<64>, kTwoBytes<64>},
    {"TwoBytesOf100", two_bytes_differ<100>, kTwoBytes<100>},
    {"TwoBytesOf200", two_bytes_differ<200>, kTwoBytes<200>},
    {"TwoBytesOf400", two_bytes_differ<400>, kTwoBytes<400>},
    {"BlocksInAnyOrder", permuted<7>},
    {"ManyBlocksInAnyOrder", permuted<14>},
};

class KeyHashStrength : public testing::TestWithParam<Family> {
 protected:
  static constexpr unsigned kCellBits = 24;
  static constexpr unsigned kDrop = 64 - kCellBits;

  KeyHashStrength() : hashes_(GetParam().size()) {
    for (std::uint64_t i = 0; i < hashes_.size(); ++i) {
      hashes_[i] = hash_key(GetParam().key(i), 0);
    }
  }

  const std::vector<Hash128>& hashes() const { return hashes_; }

  /// The pairs of keys with equal cell_of(hash), below 2^kCellBits, are n^2 / 2^25 or so of n keys.
  template <typename CellOf>
  void expect_chance(const CellOf& cell_of) {
    counts_.assign(std::size_t{1} << kCellBits, 0);
    std::uint64_t pairs = 0;
    bool crowded = false;
    for (const Hash128& hash : hashes_) {
      std::uint8_t& count = counts_[cell_of(hash)];
      pairs += count++;
      crowded |= count == 0;
    }
    EXPECT_FALSE(crowded) << "256 keys in a cell";
    const auto keys = static_cast<double>(hashes_.size());
    const double expected = keys * (keys - 1) / 2 / static_cast<double>(counts_.size());
    EXPECT_NEAR(static_cast<double>(pairs), expected, 6 * std::sqrt(expected) + 6);
  }

 private:
  std::vector<Hash128> hashes_;
  std::vector<std::uint8_t> counts_;  // of the keys so far in each cell
};

/// Whether the first halves of the hashes all differ.
bool differ_in_the_first_half(std::span<const Hash128> hashes) {
  const auto sorted = stream::SortedHashes::from_unsorted(hashes);
  const auto all = sorted.all().hashes;
  return all.size() == hashes.size() &&
         std::ranges::adjacent_find(all, {}, &Hash128::hi) == all.end();
}

/// Of 10^6 keys none would by chance but in 1 of 37 million cases; of 10^8, in 1 of 3700.
TEST_P(KeyHashStrength, NoTwoKeysShareAHalf) {
  EXPECT_TRUE(differ_in_the_first_half(hashes()));
  std::vector<Hash128> swapped;
  swapped.reserve(hashes().size());
  for (const Hash128& hash : hashes()) swapped.push_back({hash.lo, hash.hi});
  EXPECT_TRUE(differ_in_the_first_half(swapped));
}

TEST_P(KeyHashStrength, PartsOfAHalfAreSharedAsByChance) {
  expect_chance([](Hash128 hash) { return hash.hi >> kDrop; });
  expect_chance([](Hash128 hash) { return hash.hi << 20 >> kDrop; });
  expect_chance([](Hash128 hash) { return hash.hi << kDrop >> kDrop; });
  expect_chance([](Hash128 hash) { return hash.lo >> kDrop; });
  expect_chance([](Hash128 hash) { return hash.lo << kDrop >> kDrop; });
}

/// As where a structure takes a place from one half and a fingerprint from the other.
TEST_P(KeyHashStrength, TheHalvesAreIndependent) {
  expect_chance([](Hash128 hash) { return hash.hi >> 52 << 12 | hash.lo >> 52; });
  expect_chance([](Hash128 hash) { return (hash.hi ^ hash.lo) >> kDrop; });
  expect_chance([](Hash128 hash) { return (hash.hi - hash.lo) >> kDrop; });
}

INSTANTIATE_TEST_SUITE_P(Families, KeyHashStrength, testing::ValuesIn(kFamilies),
                         [](const auto& family) { return std::string(family.param.name); });

/// A bit of the key changes each bit of both halves in half of all keys.
TEST(KeyHashAvalanche, OfEveryBit) {
  constexpr int kKeys = 400;
  std::mt19937_64 random(1);
  for (const std::size_t size : {1U, 3U, 4U, 8U, 9U, 16U, 17U, 40U, 64U, 65U, 100U, 130U, 241U}) {
    std::string key(size, '\0');
    for (std::size_t bit = 0; bit<8 * size; bit += size> 64 ? 5 : 1) {
      std::array<int, 128> changes{};
      for (int k = 0; k < kKeys; ++k) {
        for (std::size_t at = 0; at < size; at += 8) {
          const std::uint64_t bytes = random();
          std::memcpy(key.data() + at, &bytes, std::min<std::size_t>(8, size - at));
        }
        const Hash128 before = hash_key(key, 0);
        key[bit / 8] = static_cast<char>(key[bit / 8] ^ 1 << bit % 8);
        const Hash128 after = hash_key(key, 0);
        for (std::size_t i = 0; i < 64; ++i) {
          changes[i] += static_cast<int>((before.hi ^ after.hi) >> i & 1);
          changes[64 + i] += static_cast<int>((before.lo ^ after.lo) >> i & 1);
        }
      }
      for (const int count : changes) {  // 6.5 standard deviations
        ASSERT_NEAR(count, kKeys / 2, 65) << "bit " << bit << " of " << size << " bytes";
      }
    }
  }
}

/// The next seed, and the other half's, make hashes that have nothing to do with these.
TEST(KeyHashAvalanche, OfTheSeed) {
  constexpr int kKeys = 2000;
  for (const std::size_t size : {3U, 8U, 16U, 40U, 100U, 200U, 300U}) {
    for (const std::uint64_t step : {std::uint64_t{1}, 0x9e3779b97f4a7c15U}) {
      int changes = 0;
      for (int k = 0; k < kKeys; ++k) {
        const std::string key = std::to_string(k) + std::string(size, 'k');
        changes += std::popcount(hash_key(key, 5).hi ^ hash_key(key, 5 + step).hi);
      }
      EXPECT_NEAR(changes, 32 * kKeys, 6 * 4 * std::sqrt(kKeys)) << size;
    }
  }
}

}  // namespace
}  // namespace crivo
