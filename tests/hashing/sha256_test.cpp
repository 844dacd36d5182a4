// SPDX-License-Identifier: Apache-2.0
/// SHA-256 against the examples of FIPS 180-4 and NIST, and its kernels against each other.
#include "hashing/sha256.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "file/content_id.hpp"

namespace crivo::hashing {
namespace {

std::string hex(base::Cpu cpu, std::string_view text) {
  return file::to_hex(Sha256(cpu).add(base::as_bytes(text)).value());
}

TEST(Sha256, HasItsVectors) {
  for (const base::Cpu cpu : {base::Cpu::portable, base::cpu()}) {
    EXPECT_EQ(hex(cpu, ""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hex(cpu, "abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hex(cpu, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(hex(cpu, std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  }
}

TEST(Sha256, IsTheSameOfPiecesAndByEveryKernel) {
  std::mt19937_64 random(256);
  base::Bytes bytes(700);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  Sha256 pieces;
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const base::ByteView all = base::ByteView(bytes).first(size);
    const Sha256Value whole = Sha256(base::Cpu::portable).add(all).value();
    ASSERT_EQ(sha256(all), whole) << size;
    pieces.reset();
    for (std::size_t at = 0; at < size;) {
      const std::size_t piece = std::min<std::size_t>(random() % 150, size - at);
      pieces.add(all.subspan(at, piece));
      at += piece;
    }
    ASSERT_EQ(pieces.value(), whole) << size;
    ASSERT_EQ(pieces.value(), whole) << "asked twice, of " << size;
  }
}

TEST(Sha256, OfTwoAtOnceIsThatOfEach) {
  std::mt19937_64 random(512);
  base::Bytes bytes(900);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  for (const base::Cpu cpu : {base::Cpu::portable, base::cpu()}) {
    for (int turn = 0; turn < 500; ++turn) {
      const auto any = [&] {
        const std::size_t begin = random() % 300;
        return base::ByteView(bytes).subspan(begin, random() % (turn < 50 ? 80 : 600));
      };
      const base::ByteView first = any();
      const base::ByteView second = turn % 7 == 0 ? base::ByteView() : any();
      const auto [one, two] = Sha256::of_both(first, second, cpu);
      ASSERT_EQ(one, sha256(first));
      ASSERT_EQ(two, sha256(second));
    }
  }
}

}  // namespace
}  // namespace crivo::hashing
