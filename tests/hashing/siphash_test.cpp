// SPDX-License-Identifier: Apache-2.0
// SipHash against the vectors of its authors.

#include "hashing/siphash.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/system_random.hpp"

namespace crivo::hashing {
namespace {

/// The vectors of the paper's appendix and of the reference implementation.
TEST(SipHash, IsTheStandardOne) {
  const hashing::SipKey key{0x0706050403020100U, 0x0f0e0d0c0b0a0908U};
  std::string text;
  const auto next = [&] {
    const std::uint64_t hash = siphash(text, key);
    text += static_cast<char>(text.size());
    return hash;
  };
  EXPECT_EQ(next(), 0x726fdb47dd0e0e31U);
  EXPECT_EQ(next(), 0x74f839c593dc67fdU);
  EXPECT_EQ(next(), 0x0d6c8009d9a94f5aU);
  while (text.size() < 15) next();
  EXPECT_EQ(next(), 0xa129ca6149be45e5U);
}

/// The reference implementation's, too.
TEST(SipHash, Of128BitsIsTheStandardOne) {
  const hashing::SipKey key{0x0706050403020100U, 0x0f0e0d0c0b0a0908U};
  EXPECT_EQ(siphash128("", key), (Hash128{0xe6a825ba047f81a3U, 0x930255c71472f66dU}));
  EXPECT_EQ(siphash128({"\0\1", 2}, key), (Hash128{0xc75da4a48d227781U, 0xe4ff0af6de8ba3fcU}));
  std::string text;
  while (text.size() < 15) text += static_cast<char>(text.size());
  EXPECT_EQ(siphash128(text, key), (Hash128{0x11a8b03399e99354U, 0xd9c3cf970fec087eU}));
}

TEST(SipHash, DependsOnTheKeyAndEveryByte) {
  std::set<std::uint64_t> seen;
  const hashing::SipKey key{1, 2};
  std::string text(40, 'x');
  EXPECT_TRUE(seen.insert(siphash(text, key)).second);
  EXPECT_TRUE(seen.insert(siphash(text, {1, 3})).second);
  EXPECT_TRUE(seen.insert(siphash(text, {3, 2})).second);
  for (char& c : text) {
    c = 'y';
    EXPECT_TRUE(seen.insert(siphash(text, key)).second);
  }
}

TEST(SipHash, SecretsAreNeverTheSame) {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 100; ++i) {
    const hashing::SipKey key = hashing::SipKey::random();
    EXPECT_TRUE(seen.insert(key.low).second);
    EXPECT_TRUE(seen.insert(key.high).second);
    EXPECT_TRUE(seen.insert(base::system_random()).second);
  }
}

}  // namespace
}  // namespace crivo::hashing
