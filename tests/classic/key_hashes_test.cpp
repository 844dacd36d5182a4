// SPDX-License-Identifier: Apache-2.0
/// The seeds' ordinary hash functions against values computed apart from them.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "crivo/build/keys.hpp"
#include "hashing/key_hash.hpp"
#include "lookup/key_hash.hpp"
#include "support/errors.hpp"

namespace crivo::classic {
namespace {

/// A short key, one of a whole block of Jenkins's (the dissertation's own example), one of several,
/// and bytes of all sorts.
std::string key_of(int number) {
  switch (number) {
    case 0:
      return "a";
    case 1:
      return "FABIANOBOTEL";
    case 2:
      return "http://www.ufmg.br/pesquisa";
    default:
      break;
  }
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += static_cast<char>(255 - i);
  return bytes;
}

struct Known {
  hashing::KeyHashId hash;
  std::uint64_t seed;
  int key;
  Hash128 value;

  static constexpr auto universal = hashing::KeyHashId::universal;
  static constexpr auto zobrist = hashing::KeyHashId::zobrist;
  static constexpr auto jenkins = hashing::KeyHashId::jenkins;
};

/// From a program in Python that follows the dissertation's text.
const Known kKnown[] = {
    {Known::universal, 0U, 0, {0xae5fbd99dbb4062aU, 0x906746182cf0f7a8U}},
    {Known::universal, 0U, 1, {0xd07c0a69ef53e103U, 0x674206c4f47aa61bU}},
    {Known::universal, 0U, 2, {0x8422be8e92816b1eU, 0x321eee3dbe434041U}},
    {Known::universal, 0U, 3, {0xd2aa755ec720c5dcU, 0xacb07978e0f8abfcU}},
    {Known::universal, 12345678901234567890U, 0, {0x7b09798324abc5ecU, 0xafab5464fad18613U}},
    {Known::universal, 12345678901234567890U, 1, {0xaeb8906c14ac249dU, 0xf246fb79deed14ffU}},
    {Known::universal, 12345678901234567890U, 2, {0x217508b69c9d9145U, 0x751456f3bfaaec22U}},
    {Known::universal, 12345678901234567890U, 3, {0x4208372cccfcce10U, 0x0de661eef000813bU}},
    {Known::zobrist, 0U, 0, {0x8da4658f39f0f2e0U, 0xe10e0433e3ef8013U}},
    {Known::zobrist, 0U, 1, {0xac36cae592112881U, 0x88917ddbbc519d3cU}},
    {Known::zobrist, 0U, 2, {0x58962247e7a75a94U, 0xc566a0172a797b0eU}},
    {Known::zobrist, 0U, 3, {0xac59e2c6248a4254U, 0x437404afc44f0509U}},
    {Known::zobrist, 12345678901234567890U, 0, {0xfc59d29843a0862cU, 0x771ed4e61e686514U}},
    {Known::zobrist, 12345678901234567890U, 1, {0x00679e4069c04249U, 0x1133d3b7ce2e2844U}},
    {Known::zobrist, 12345678901234567890U, 2, {0x87ab8b3f5956752bU, 0xcc96e4ec151b4724U}},
    {Known::zobrist, 12345678901234567890U, 3, {0x2b67f7f8b1d596f4U, 0xb1b938c592d74201U}},
    {Known::jenkins, 0U, 0, {0xb553b8293982ccccU, 0x5390f1bfff3047d9U}},
    {Known::jenkins, 0U, 1, {0x9db34baa6348e382U, 0xeb36fc050b2d6c13U}},
    {Known::jenkins, 0U, 2, {0x7fa6159267072410U, 0x2e7b818e916c32d2U}},
    {Known::jenkins, 0U, 3, {0x60c0639c2002e55cU, 0x23b2779b0f209750U}},
    {Known::jenkins, 12345678901234567890U, 0, {0x0b05dc25c7f1670cU, 0xc455c2a2f911ff90U}},
    {Known::jenkins, 12345678901234567890U, 1, {0x033fc8ea159c2594U, 0xc0a18db54c7a2865U}},
    {Known::jenkins, 12345678901234567890U, 2, {0x0a6d4ce382149ec8U, 0x2a71fb1d7c403558U}},
    {Known::jenkins, 12345678901234567890U, 3, {0xbc48ce4c7786530eU, 0xa4da77d0fdf68747U}},
};

TEST(KeyHashes, HaveTheirKnownValues) {
  std::unique_ptr<const hashing::PreparedHash> hash;
  for (const Known& known : kKnown) {
    if (known.key == 0) hash = hashing::prepared_hash(known.hash, known.seed);
    EXPECT_EQ((*hash)(key_of(known.key)), known.value)
        << hashing::key_hash_name(known.hash) << ", key " << known.key;
  }
}

TEST(KeyHashes, ReadNothingElse) {
  for (const hashing::KeyHashId kind : {Known::universal, Known::zobrist, Known::jenkins}) {
    const auto hash = hashing::prepared_hash(kind, 1);
    std::string bytes(64, 'x');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 37);
    std::set<Hash128> seen;
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
      const std::vector<char> exact(bytes.begin(),
                                    bytes.begin() + static_cast<std::ptrdiff_t>(size));
      const Hash128 value = (*hash)(std::string_view(exact.data(), exact.size()));
      EXPECT_EQ(value, (*hash)(std::string_view(bytes).substr(0, size)));
      seen.insert(value);
    }
    // bytes[0] is 0, which the universal hash cannot tell from nothing.
    EXPECT_EQ(seen.size(), kind == Known::universal ? 64U : 65U);
  }
}

TEST(KeyHashes, TakeKeysUpToTheirTablesAndSurviveLongerOnes) {
  for (const hashing::KeyHashId kind : {Known::universal, Known::zobrist, Known::jenkins}) {
    const auto hash = hashing::prepared_hash(kind, 3);
    std::set<Hash128> seen;
    for (const std::size_t size : {4095U, 4096U, 4097U, 5000U, 1U << 20}) {
      seen.insert((*hash)(std::string(size, 'k')));
    }
    EXPECT_EQ(seen.size(), 5U);
    std::string last(4096, 'k');
    const Hash128 before = (*hash)(last);
    last.back() = 'l';
    EXPECT_NE((*hash)(last), before);
  }
  EXPECT_EQ(hashing::max_key_bytes(Known::universal), 4096U);
  EXPECT_EQ(hashing::max_key_bytes(Known::zobrist), 4096U);
  EXPECT_EQ(hashing::max_key_bytes(Known::jenkins), kMaxKeyBytes);
}

TEST(KeyHashes, DifferBySeedAndWord) {
  for (const hashing::KeyHashId kind : {Known::universal, Known::zobrist, Known::jenkins}) {
    std::set<std::uint32_t> words;
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
      const Hash128 value = (*hashing::prepared_hash(kind, seed))("http://a.example/");
      words.insert(
          {static_cast<std::uint32_t>(value.hi >> 32), static_cast<std::uint32_t>(value.hi),
           static_cast<std::uint32_t>(value.lo >> 32), static_cast<std::uint32_t>(value.lo)});
    }
    EXPECT_EQ(words.size(), 64U) << hashing::key_hash_name(kind);
  }
}

/// Of n keys in m places, about n^2 / 2m pairs meet.
TEST(KeyHashes, SpreadKeysLikeChance) {
  constexpr std::size_t kKeys = 20'000;
  constexpr std::uint32_t kPlaces = 100'003;
  for (const hashing::KeyHashId kind : {Known::universal, Known::zobrist, Known::jenkins}) {
    double pairs = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const auto hash = hashing::prepared_hash(kind, seed);
      std::vector<unsigned> counts(kPlaces);
      for (std::size_t i = 0; i < kKeys; ++i) {
        const Hash128 value =
            (*hash)("http://site" + std::to_string(i % 977) + ".example/page/" + std::to_string(i));
        ++counts[(value.hi >> 32) % kPlaces];
      }
      for (const unsigned count : counts) pairs += count * (count - 1.0) / 2;
    }
    const double expected = 10.0 * kKeys * (kKeys - 1.0) / 2 / kPlaces;
    EXPECT_NEAR(pairs / expected, 1, 0.1) << hashing::key_hash_name(kind);
  }
}

TEST(KeyHashes, AreFoundByName) {
  for (const std::string_view name : hashing::key_hash_names()) {
    EXPECT_EQ(hashing::key_hash_name(hashing::find_key_hash(name)), name);
  }
  EXPECT_EQ(hashing::key_hash_names().front(), "xxh3");
  const std::string message =
      test::error_of(ErrorKind::usage, [] { (void)hashing::find_key_hash("md5"); });
  EXPECT_NE(message.find("xxh3, universal, zobrist, jenkins"), std::string::npos) << message;
}

}  // namespace
}  // namespace crivo::classic
