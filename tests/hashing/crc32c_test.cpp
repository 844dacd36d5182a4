// SPDX-License-Identifier: Apache-2.0
// CRC-32C against published values, and against its definition bit by bit.

#include "hashing/crc32c.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string_view>
#include <vector>

namespace crivo::hashing {
namespace {

/// The register after these bytes, a bit at a time.
std::uint32_t after(std::uint32_t state, base::ByteView bytes) {
  for (const std::byte b : bytes) {
    state ^= static_cast<std::uint32_t>(b);
    for (int bit = 0; bit < 8; ++bit) state = state >> 1 ^ (state % 2 != 0 ? 0x82f63b78 : 0);
  }
  return state;
}

std::uint32_t defined(base::ByteView bytes, std::uint64_t number) {
  const base::Bytes end = base::FieldWriter().u64(bytes.size()).u64(number).take();
  return ~after(after(0, bytes), end);
}

std::vector<Crc32c> kernels() {
  std::vector<Crc32c> all;
  for (const base::Cpu cpu : {base::Cpu::portable, base::Cpu::avx2, base::Cpu::avx512}) {
    if (cpu <= base::cpu()) all.push_back(crc32c(cpu));
  }
  return all;
}

std::vector<std::byte> random_bytes(std::size_t size) {
  std::mt19937_64 random(32);
  std::vector<std::byte> bytes(size);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  return bytes;
}

// The vectors of formats/store.md.
TEST(Crc32c, HasItsVectors) {
  const std::vector<std::byte> long_one(1000, std::byte{'a'});
  for (const Crc32c crc : kernels()) {
    EXPECT_EQ(crc({}, 0), 0xffffffffU);
    EXPECT_EQ(crc(base::as_bytes(std::string_view("123456789")), 0), 0x46c50f88U);
    EXPECT_EQ(crc(base::as_bytes(std::string_view("123456789")), 1), 0x0ff972afU);
    EXPECT_EQ(crc(long_one, 0xfedcba9876543210), 0x341ac536U);
  }
}

// The check value of CRC-32C in its usual form, whose register begins with ones.
TEST(Crc32c, IsOfCastagnolisPolynomial) {
  EXPECT_EQ(~after(UINT32_MAX, base::as_bytes(std::string_view("123456789"))), 0xe3069283U);
}

TEST(Crc32c, IsItsDefinitionAtEveryLengthAndPlace) {
  const std::vector<std::byte> bytes = random_bytes(9000);
  std::mt19937_64 random(33);
  const auto expect_defined = [&](std::size_t size) {
    const auto view = base::ByteView(bytes).subspan(random() % 70, size);
    const std::uint64_t number = random();
    for (const Crc32c crc : kernels()) EXPECT_EQ(crc(view, number), defined(view, number)) << size;
  };
  for (std::size_t size = 0; size < 1200; ++size) expect_defined(size);
  for (std::size_t size = 1200; size < 8900; size += 61) expect_defined(size);
}

// What CRC-32C promises of any length: no change within 32 bits goes unseen, nor another number.
TEST(Crc32c, EveryChangeWithin32BitsIsSeen) {
  std::vector<std::byte> bytes = random_bytes(700);
  std::mt19937_64 random(34);
  for (const Crc32c crc : kernels()) {
    for (const std::size_t size : {16U, 100U, 700U}) {
      const auto view = base::ByteView(bytes).first(size);
      const std::uint32_t before = crc(view, 7);
      for (int i = 0; i < 300; ++i) {
        const std::size_t bit = random() % (8 * size - 64);
        const std::uint64_t change = (random() >> 32 | 1) << bit % 8;
        const std::size_t at = bit / 8;
        const auto old = base::load_le<std::uint64_t>(bytes.data() + at);
        base::store_le(bytes.data() + at, old ^ change);
        EXPECT_NE(crc(view, 7), before);
        base::store_le(bytes.data() + at, old);
      }
      for (std::uint64_t number = 0; number < 7; ++number) EXPECT_NE(crc(view, number), before);
      EXPECT_NE(crc(view.first(size - 1), 7), before);
    }
  }
}

}  // namespace
}  // namespace crivo::hashing
