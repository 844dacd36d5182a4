#include <gtest/gtest.h>
#include <xxhash.h>

#include <array>

#include "base/bytes.hpp"
#include "bits/arithmetic.hpp"
#include "hashing/hash128.hpp"

namespace crivo {
namespace {

static_assert(hash_key(std::uint64_t{0}, 0) != hash_key(std::uint64_t{1}, 0));

TEST(HashKey, OfANumberIsThatOfItsBytes) {
  constexpr std::uint64_t kOdd[] = {0,           1,          0xff,  0x80000000,        0xffffffff,
                                    0x100000000, 1ULL << 63, ~0ULL, 0x0123456789abcdef};
  const auto check = [](std::uint64_t key, std::uint64_t seed) {
    std::array<std::byte, 8> bytes;
    base::store_le(bytes.data(), key);
    const XXH128_hash_t expected = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
    ASSERT_EQ(hash_key(key, seed), (Hash128{expected.high64, expected.low64}))
        << key << ' ' << seed;
    ASSERT_EQ(hash_key(key, seed), hash_key(std::span<const std::byte>(bytes), seed));
  };
  for (const std::uint64_t key : kOdd) {
    for (const std::uint64_t seed : kOdd) check(key, seed);
  }
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    check(bits::mix64(2 * i), bits::mix64(2 * i + 1) >> (i % 64));
    check(i, 0);
  }
}

}  // namespace
}  // namespace crivo
