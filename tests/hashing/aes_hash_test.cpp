// SPDX-License-Identifier: Apache-2.0
// The hash of AES rounds, by every path that this processor has.

#include "hashing/aes_hash.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace crivo::hashing {
namespace {

std::vector<AesPath> paths() {
  std::vector<AesPath> all;
  for (const AesPath path : {AesPath::tables, AesPath::aes, AesPath::vaes}) {
    if (path <= best_aes_path()) all.push_back(path);
  }
  return all;
}

/// As formats/crivo-1.md has them.
std::string text_of(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(7 * i + 1);
  return text;
}

constexpr Seed kWide{0x0123456789abcdefU, 0xfedcba9876543210U};

/// The first by OpenSSL's AES-128, the others by formats/reader.py.
TEST(AesHash, HasItsKnownValues) {
  for (const AesPath path : paths()) {
    const auto zero = aes_hash({}, path);
    const auto wide = aes_hash(kWide, path);
    EXPECT_EQ((*zero)(""), (Hash128{0xd28b1dc8bd364babU, 0x22b408a7054bedbcU}));
    EXPECT_EQ((*zero)(text_of(17)), (Hash128{0x7d6e920584936310U, 0x6c6a13fab332c6deU}));
    EXPECT_EQ((*zero)(text_of(1000)), (Hash128{0x67ada1c75cd11ad4U, 0xf9c5ebf653715b00U}));
    EXPECT_EQ((*wide)(text_of(1)), (Hash128{0x256dfda270d4b12cU, 0x674926a6bf89c27bU}));
    EXPECT_EQ((*wide)(text_of(129)), (Hash128{0xce6554a14fa0ea75U, 0x4ec92b69f78fcc56U}));
  }
}

TEST(AesHash, IsTheSameByEveryPath) {
  const std::string text = text_of((std::size_t{1} << 20) + 3);
  const auto tables = aes_hash(kWide, AesPath::tables);
  for (const AesPath path : paths()) {
    const auto hash = aes_hash(kWide, path);
    const auto expect_same = [&](std::size_t begin, std::size_t size) {
      const std::string_view part = std::string_view(text).substr(begin, size);
      EXPECT_EQ((*hash)(part), (*tables)(part)) << size << " bytes";
    };
    for (std::size_t size = 0; size <= 1024; ++size) expect_same(size % 19, size);
    for (std::size_t bytes = 8192; bytes <= std::size_t{1} << 20; bytes *= 8) {
      for (const std::size_t size : {bytes - 1, bytes, bytes + 1}) expect_same(1, size);
    }
  }
}

/// Both halves of the seed decide about every key, and the length of a key does.
TEST(AesHash, DependsOnEverySeedAndLength) {
  std::set<Hash128> hashes;
  std::size_t made = 0;
  const std::string text(2048, '\0');
  for (const Seed seed : {Seed(), Seed(1), Seed(0, 1), Seed(0, 1U << 31), Seed(1, 1)}) {
    const auto hash = aes_hash(seed);
    for (std::size_t size = 0; size <= text.size(); ++size, ++made) {
      hashes.insert((*hash)(std::string_view(text).substr(0, size)));
    }
  }
  EXPECT_EQ(hashes.size(), made);
}

/// What is counted of pairs of hashes: by chance, each bit differs in half of them, and each window
/// of 16 bits is equal in one of 65,536.
struct Differences {
  static constexpr std::size_t kBits = 128;
  static constexpr std::size_t kWindows = 8;
  std::uint64_t pairs = 0;
  std::uint64_t equal_halves = 0;
  std::array<std::uint64_t, kBits> differing{};
  std::array<std::uint64_t, kWindows> equal{};

  void add(const Hash128& a, const Hash128& b) noexcept {
    ++pairs;
    const std::array<std::uint64_t, 2> halves{a.hi ^ b.hi, a.lo ^ b.lo};
    for (std::size_t h = 0; h < halves.size(); ++h) {
      equal_halves += halves[h] == 0 ? 1 : 0;
      for (std::size_t i = 0; i < 64; ++i) differing[64 * h + i] += halves[h] >> i & 1;
      for (std::size_t i = 0; i < 4; ++i)
        equal[4 * h + i] += (halves[h] >> 16 * i & 0xffff) == 0 ? 1 : 0;
    }
  }
};

/// How many standard deviations a count is from what is expected of a chance.
double deviations(std::uint64_t count, std::uint64_t of, double chance) {
  const double expected = static_cast<double>(of) * chance;
  return std::abs(static_cast<double>(count) - expected) / std::sqrt(expected * (1 - chance));
}

/// Texts of all sizes that differ in one or two bits, at all places. CRIVO_LONG=1 has 2^32 pairs in
/// the place of 2^18 (a quarter of an hour).
TEST(AesHash, TellsApartWhatDiffersInFewBits) {
  constexpr std::array<std::size_t, 12> kSizes{4, 8, 9, 16, 17, 32, 57, 64, 100, 128, 129, 300};
  const std::uint64_t wanted = std::uint64_t{1} << (std::getenv("CRIVO_LONG") != nullptr ? 32 : 18);
  Differences all;
  std::mt19937_64 random(1);
  for (std::uint64_t round = 0; all.pairs < wanted; ++round) {
    const auto hash = aes_hash({random(), random()});
    std::string text(kSizes[round % kSizes.size()], '\0');
    for (char& c : text) c = static_cast<char>(random());
    const Hash128 own = (*hash)(text);
    const auto flip = [&](std::size_t bit) { text[bit / 8] ^= static_cast<char>(1 << bit % 8); };
    for (std::size_t a = 0; a < 8 * text.size(); ++a) {
      flip(a);
      all.add(own, (*hash)(text));
      for (std::size_t b = a % 32; b < a; b += 32) {
        flip(b);
        all.add(own, (*hash)(text));
        flip(b);
      }
      flip(a);
    }
  }
  EXPECT_EQ(all.equal_halves, 0U);
  for (const std::uint64_t count : all.differing) EXPECT_LT(deviations(count, all.pairs, 0.5), 6);
  for (const std::uint64_t count : all.equal)
    EXPECT_LT(deviations(count, all.pairs, 1.0 / 65'536), 6);
}

TEST(Seed, IsShownByAllOfItsBits) {
  EXPECT_EQ(Seed(12).text(), "12");
  EXPECT_EQ(kWide.text(), "fedcba98765432100123456789abcdef");
  EXPECT_EQ(Seed(~std::uint64_t{0}, 7).next(), Seed(0, 7));
}

}  // namespace
}  // namespace crivo::hashing
