// SPDX-License-Identifier: Apache-2.0
/// BLAKE2b against the example of RFC 7693, and values of Python's hashlib.
#include "hashing/blake2b.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

#include "file/content_id.hpp"

namespace crivo::hashing {
namespace {

std::string hex(std::size_t bytes, std::string_view text) {
  const Blake2b::Value value = Blake2b(bytes).add(base::as_bytes(text)).finish();
  return file::to_hex(base::ByteView(value).first(bytes));
}

TEST(Blake2b, HasItsVectors) {
  EXPECT_EQ(hex(64, "abc"),
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
            "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
  EXPECT_EQ(hex(64, ""),
            "786a02f742015903c6c6fd852552d272912f4740e15847618a86e217f71f5419"
            "d25e1031afee585313896444934eb04b903a685b1448b755d56f701afe9be2ce");
  EXPECT_EQ(hex(32, "abc"), "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
  EXPECT_EQ(hex(64, std::string(1'000'000, 'a')),
            "98fb3efb7206fd19ebf69b6f312cf7b64e3b94dbe1a17107913975a793f177e1"
            "d077609d7fba363cbba00d05f7aa4e4fa8715d6428104c0a75643b0ff3fd3eaf");
  EXPECT_EQ(hex(32, std::string(128, 'a')),
            "ae2aa48507885c4c950fb809b2076f959cde9f8ea6da260d9a3587df33dac450");
}

TEST(Blake2b, IsTheSameOfPieces) {
  std::mt19937_64 random(7693);
  base::Bytes bytes(600);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const base::ByteView all = base::ByteView(bytes).first(size);
    Blake2b pieces;
    for (std::size_t at = 0; at < size;) {
      const std::size_t piece = std::min<std::size_t>(random() % 300, size - at);
      pieces.add(all.subspan(at, piece));
      at += piece;
    }
    ASSERT_EQ(pieces.finish(), Blake2b().add(all).finish()) << size;
  }
}

}  // namespace
}  // namespace crivo::hashing
