// SPDX-License-Identifier: Apache-2.0
// Batched lookups of PHast compute what single ones do.

#include "structures/phast/batch.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "structures/phast/shape.hpp"

namespace crivo {
namespace {

/// A level of random seeds, which need not be those of any key set.
struct AnyLevel {
  AnyLevel(unsigned seed_bits, std::uint64_t keys, std::uint64_t random) {
    level.buckets = 8 * (1 + random % 50);
    level.keys = keys;
    level.spread_shift = static_cast<std::uint32_t>(16 - random % (phast::kMaxSliceBits + 1));
    for (std::uint64_t i = 0; i < level.buckets * seed_bits / 8 + 7; ++i) {
      const std::uint64_t x = base::mix64(random + i);
      seeds.push_back(static_cast<std::byte>(x % 5 < 2 ? 0 : x >> 56));
    }
    level.set_seeds(seeds.data(), seed_bits);
  }

  detail::PhastLevel level;
  std::vector<std::byte> seeds;
};

/// Whether the batch says what the level says of each hash.
void expect_same(phast::PhastBatch batch, const detail::PhastLevel& level,
                 std::span<const std::uint64_t> halves) {
  constexpr std::uint64_t kUntouched = 77;
  std::vector<std::uint64_t> ranks(halves.size() + 1, kUntouched);
  std::vector<std::uint16_t> bumped(halves.size());
  bumped.resize(batch(level, halves, ranks.data(), bumped.data()));
  EXPECT_EQ(ranks.back(), kUntouched);
  std::vector<bool> is_bumped(halves.size());
  for (const std::uint16_t i : bumped) {
    ASSERT_LT(i, halves.size());
    EXPECT_FALSE(is_bumped[i]);
    is_bumped[i] = true;
  }
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const std::uint32_t seed = level.seed(level.seed_place(halves[i]));
    ASSERT_EQ(is_bumped[i], seed == 0);
    if (seed != 0) {
      ASSERT_EQ(ranks[i], level.value(halves[i], seed));
      ASSERT_LT(ranks[i], level.keys);
    }
  }
}

std::vector<std::uint64_t> batch_of_halves() {
  std::vector<std::uint64_t> halves{0, 1, ~std::uint64_t{0}, std::uint64_t{1} << 63};
  while (halves.size() < phast::kPhastBatch) halves.push_back(base::mix64(halves.size()));
  return halves;
}

TEST(PhastBatch, IsTheLevelsOwnArithmetic) {
  const std::vector<std::uint64_t> halves = batch_of_halves();
  std::uint64_t random = 1;
  for (const unsigned seed_bits : {8U, 10U, 12U, 14U, 16U}) {
    for (const std::uint64_t keys :
         {1ULL, 100ULL, 5000ULL, 123'456'789ULL, 0xffffffffULL, 0x100000000ULL, 1ULL << 40}) {
      const AnyLevel any(seed_bits, keys, base::mix64(++random));
      const auto part = std::span(halves).first(random % 200);
      for (const auto& asked : {std::span(halves), part}) {
        for (base::Cpu cpu : {base::Cpu::portable, base::Cpu::avx2, base::Cpu::avx512}) {
          if (cpu > base::cpu()) continue;
          expect_same(phast::phast_batch(any.level, cpu), any.level, asked);
        }
      }
    }
  }
}

TEST(PhastBatch, WideNumbersArePortable) {
  const AnyLevel any(10, std::uint64_t{1} << 32, 5);
  EXPECT_EQ(phast::phast_batch(any.level, base::cpu()), phast::portable_phast_batch);
}

}  // namespace
}  // namespace crivo
