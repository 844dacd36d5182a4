// SPDX-License-Identifier: Apache-2.0
// The usual key hash against its definition and the values in formats/crivo-1.md.

#include <gtest/gtest.h>

// For XXH3_generateSecret_fromSeed().
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include <array>
#include <string>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "lookup/lookup_blocks.hpp"

namespace crivo {
namespace {

static_assert(hash_key(std::uint64_t{0}, 0) != hash_key(std::uint64_t{1}, 0));

constexpr std::uint64_t kOdd[] = {0,           1,          0xff,  0x80000000,        0xffffffff,
                                  0x100000000, 1ULL << 63, ~0ULL, 0x0123456789abcdef};

/// The definition of formats/crivo-1.md, of the secret as xxHash has it for a seed.
std::uint64_t second_half(std::string_view key, std::uint64_t seed) {
  if (key.size() < 17 || key.size() > 128) {
    return XXH3_64bits_withSeed(key.data(), key.size(), seed + 0x9e3779b97f4a7c15U);
  }
  std::array<std::uint64_t, XXH3_SECRET_DEFAULT_SIZE / 8> secret;
  XXH3_generateSecret_fromSeed(secret.data(), seed);
  std::uint64_t folds = key.size() * 0x9e3779b185ebca87U;
  std::uint64_t upper = 0;
  const auto add = [&](std::size_t at, std::size_t word) {
    const auto* bytes = reinterpret_cast<const std::byte*>(key.data()) + at;
    const detail::Product128 product =
        detail::Product128{base::load_le<std::uint64_t>(bytes) ^ secret[word]} *
        (base::load_le<std::uint64_t>(bytes + 8) ^ secret[word + 1]);
    const auto high = static_cast<std::uint64_t>(product >> 64);
    folds += static_cast<std::uint64_t>(product) ^ high;
    upper += high;
  };
  for (std::size_t i = 0; i <= (key.size() - 1) / 32; ++i) {
    add(16 * i, 4 * i);
    add(key.size() - 16 * (i + 1), 4 * i + 2);
  }
  std::uint64_t x = upper + folds * 0xc2b2ae3d27d4eb4fU;
  x = (x ^ x >> 37) * 0x165667919e3779f9U;
  return x ^ x >> 32;
}

Hash128 by_definition(std::string_view key, std::uint64_t seed) {
  return {XXH3_64bits_withSeed(key.data(), key.size(), seed), second_half(key, seed)};
}

TEST(HashKey, OfATextIsAsDefined) {
  std::string text;
  for (std::uint64_t i = 0; i < 1100; ++i) text += static_cast<char>(base::mix64(i));
  for (std::size_t size = 0; size <= 1000; size += size < 300 ? 1 : 100) {
    for (std::size_t begin = 0; begin < 9; ++begin) {
      const std::string key = text.substr(begin, size);  // of its own memory, which ends there
      for (const std::uint64_t seed : kOdd) {
        const Hash128 expected = by_definition(key, seed);
        ASSERT_EQ(hash_key(key, seed), expected) << size;
        ASSERT_EQ(hash_key(std::as_bytes(std::span(key)), seed), expected);
        ASSERT_EQ(detail::both_halves(key, seed), expected);
        ASSERT_EQ(hash_key(key, detail::xxh3::PreparedSeed(seed)), expected);
        ASSERT_EQ(detail::first_half(key, seed), expected.hi);
        ASSERT_EQ(detail::first_half(std::as_bytes(std::span(key)), seed), expected.hi);
      }
    }
  }
}

/// Those of formats/crivo-1.md: of keys whose byte i is 7 i + 1.
TEST(HashKey, HasItsKnownValues) {
  struct Known {
    std::size_t size;
    std::uint64_t seed;
    Hash128 hash;
  };
  static constexpr Known kKnown[] = {
      {0, 0, {0x2d06800538d394c2U, 0x602b0e2cd6662c8bU}},
      {0, 1, {0x4dc5b0cc826f6703U, 0xeb3b7149fc736416U}},
      {0, 0xfedcba9876543210U, {0xe2bda2b8c0a330daU, 0x176e94a547e2a8a0U}},
      {1, 0, {0xe12ef9d2eb86ceebU, 0x439a256d3da4e7e3U}},
      {1, 1, {0x0e08a51c8536156cU, 0x56d51d68c9486297U}},
      {1, 0xfedcba9876543210U, {0xdd5ab204e0af157aU, 0xf686f18744f37274U}},
      {3, 0, {0x5c83885a0fb5d516U, 0x8840137a8295d79bU}},
      {3, 1, {0x97acfd5701abcbadU, 0xc773f32106f8880dU}},
      {3, 0xfedcba9876543210U, {0x151847d7c4f3c9caU, 0xedf1edce24c46c18U}},
      {4, 0, {0x244f36de481e7522U, 0x89af97f4a1e8d1fcU}},
      {4, 1, {0xea29946261678ed7U, 0x7960fa881f139ae8U}},
      {4, 0xfedcba9876543210U, {0x9b78fa43f14e47f0U, 0x050342d4534e53b4U}},
      {8, 0, {0x96cc97a6768fd7a9U, 0x7f7986a4ac5342b6U}},
      {8, 1, {0x33857bda8733699eU, 0xe84e9d5ea669a01bU}},
      {8, 0xfedcba9876543210U, {0x0463172930692321U, 0x91232281b77cb9adU}},
      {9, 0, {0x4781d83b8e99d495U, 0xa9fd0dd2db7e1fc7U}},
      {9, 1, {0x0530727d785782f7U, 0xd29f7da932e5328eU}},
      {9, 0xfedcba9876543210U, {0xb90021b75fc9cac7U, 0x9ff1d022b710647fU}},
      {16, 0, {0x913bd4a8038027a7U, 0xcdf0cbaa77afe281U}},
      {16, 1, {0x565af978e0b859bbU, 0x44b28b7c287be0eaU}},
      {16, 0xfedcba9876543210U, {0xb75e1b240bc252adU, 0x8aff4b1fdea7ac36U}},
      {17, 0, {0x2bf6f66973a6179dU, 0xf77bac9356fe54c7U}},
      {17, 1, {0x7cf9c82b695c7ddaU, 0xaa419eb1f7a696acU}},
      {17, 0xfedcba9876543210U, {0x96a3c22b1ed49c93U, 0xdb7871e5ded50be6U}},
      {48, 0, {0x21c9a73051f333e7U, 0xce1b97acd3856a99U}},
      {48, 1, {0x9d2e077b1bbc71fdU, 0x3c7189f114a72f0bU}},
      {48, 0xfedcba9876543210U, {0xe601166e7ceb0a63U, 0xb9fe9807c5d2abd6U}},
      {64, 0, {0x13886553e7dc3fa3U, 0x24ac1b191d9ecab6U}},
      {64, 1, {0xdbf797fb06ccfa61U, 0xa94f2fdb9bc980b2U}},
      {64, 0xfedcba9876543210U, {0x47ce583445635969U, 0x65787b4cd98673deU}},
      {128, 0, {0xc4399c7829d0628fU, 0x2c5361d08a1edcf4U}},
      {128, 1, {0xe705a35575ed324cU, 0xf4c39ab55d6904f1U}},
      {128, 0xfedcba9876543210U, {0x7f58bd2a94bb9bf1U, 0xbd69c95f0bfe0c82U}},
      {129, 0, {0x8433489056750b32U, 0xeea48e728c6ca28aU}},
      {129, 1, {0x298216ce16626944U, 0x1ba816009b3087a3U}},
      {129, 0xfedcba9876543210U, {0xe708572edc6836a2U, 0x64b32e92c2a6e9bcU}},
      {240, 0, {0x3c0bb96864e543a1U, 0xfdbbfb1fa843fe64U}},
      {240, 1, {0x4ac4835a402c1cbaU, 0xa94c2013c43402b9U}},
      {240, 0xfedcba9876543210U, {0xa2de45b90a2ddca4U, 0xd663331020df0ed1U}},
      {241, 0, {0xbff7215089202d8fU, 0xdbbc9f7c061b0878U}},
      {241, 1, {0x4db569223fff2747U, 0x6c55623d6de91bf1U}},
      {241, 0xfedcba9876543210U, {0x21a960060aa75195U, 0x67d244a918613343U}},
      {1000, 0, {0xb8b406a98622d913U, 0x42a384bc12dd5f19U}},
      {1000, 1, {0xac989c844f624ea4U, 0x4bf80fd98a03f221U}},
      {1000, 0xfedcba9876543210U, {0xaa53a6f455e027aeU, 0x2eff0ea4c4e637a4U}},
  };
  for (const Known& known : kKnown) {
    std::string key;
    for (std::size_t i = 0; i < known.size; ++i) key += static_cast<char>(7 * i + 1);
    EXPECT_EQ(hash_key(key, known.seed), known.hash) << known.size << ' ' << known.seed;
  }
}

TEST(HashKey, OfANumberIsThatOfItsBytes) {
  const auto check = [](std::uint64_t key, std::uint64_t seed) {
    std::array<char, 8> bytes;
    base::store_le(bytes.data(), key);
    const Hash128 expected = by_definition({bytes.data(), bytes.size()}, seed);
    ASSERT_EQ(hash_key(key, seed), expected) << key << ' ' << seed;
    ASSERT_EQ(detail::first_half(key, seed), expected.hi);
  };
  for (const std::uint64_t key : kOdd) {
    for (const std::uint64_t seed : kOdd) check(key, seed);
  }
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    check(base::mix64(2 * i), base::mix64(2 * i + 1) >> (i % 64));
    check(i, 0);
  }
}

TEST(HashKey, OfManyNumbersAtOnce) {
  for (const std::size_t size : {0U, 1U, 3U, 8U, 31U, 1000U}) {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t i = 0; i < size; ++i) numbers.push_back(base::mix64(i) >> (i % 64));
    for (const std::uint64_t seed : kOdd) {
      std::vector<std::uint64_t> halves(size + 1, 77);
      const HashFunction function = detail::HashAccess::function(hashing::KeyHashId::xxh3, seed);
      index::first_halves(std::span<const std::uint64_t>(numbers), 0, function,
                          std::span(halves).first(size));
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(halves[i], detail::first_half(numbers[i], seed));
      }
      ASSERT_EQ(halves[size], 77U);
    }
  }
}

}  // namespace
}  // namespace crivo
