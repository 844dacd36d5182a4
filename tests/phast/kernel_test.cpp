// SPDX-License-Identifier: Apache-2.0
// Each processor's kernel of the seed search finds what the definition finds.

#include "structures/phast/build/kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "base/arithmetic.hpp"
#include "structures/phast/build/occupancy.hpp"

namespace crivo::phast {
namespace {

struct Shape {
  unsigned seed_bits;
  unsigned slice_bits;
};

/// Room for every slice, its shifts and what a bucket is wide.
constexpr std::uint32_t kValues = 3600;

/// A family's key and shift among the candidates.
struct Fit {
  std::uint32_t key;
  std::uint32_t shift;
  bool operator==(const Fit&) const = default;
};

/// The candidates by definition: every seed tried on a plain bitmap.
std::vector<Fit> by_definition(const std::vector<bool>& taken, const Query& query, unsigned keys,
                               unsigned seed_bits) {
  std::vector<Fit> candidates;
  for (std::uint32_t family = 0; family < 1U << (seed_bits - kShiftBits); ++family) {
    candidates.push_back({kNoCandidate, 0});
    for (std::uint32_t shift = family == 0 ? 1 : 0; shift < kShifts; ++shift) {
      std::uint32_t cost = 0;
      bool fits = true;
      for (unsigned i = 0; fits && i < keys; ++i) {
        const std::uint32_t value =
            query.positions[i] - query.origin + shift +
            spread_in_slice(query.spreading[i], family << kShiftBits | shift, query.slice_bits);
        fits = value < taken.size() && !taken[value];
        if (fits) cost += score(value + query.bias);
      }
      if (!fits) continue;
      candidates.back() = {cost << kFamilyBits | family, shift};
      break;
    }
  }
  return candidates;
}

/// Every kernel that this processor has.
class Kernel : public testing::TestWithParam<Shape> {
 protected:
  static std::vector<base::Cpu> cpus() {
    std::vector<base::Cpu> all{base::Cpu::portable, base::Cpu::avx2, base::Cpu::avx512};
    std::erase_if(all, [](base::Cpu cpu) { return cpu > base::cpu(); });
    return all;
  }
};

TEST_P(Kernel, FindsWhatTheDefinitionFinds) {
  const auto [seed_bits, slice_bits] = GetParam();
  Occupancy occupancy;
  occupancy.reset(kValues);
  std::uint64_t state = 0;
  const auto random = [&](std::uint64_t below) { return base::mulhi(base::mix64(++state), below); };
  std::size_t with = 0;
  std::size_t without = 0;
  for (unsigned keys = 1; keys <= kMaxBucketKeys; ++keys) {
    for (unsigned round = 0; round < 12; ++round) {
      const std::uint64_t full = 30 + random(71);  // percent
      std::vector<bool> taken(kValues);
      occupancy.reset(kValues);
      for (std::uint32_t v = 0; v < kValues; ++v) {
        taken[v] = random(100) < full;
        if (taken[v]) occupancy.take(Occupancy::kBefore + v);
      }
      const auto origin = static_cast<std::uint32_t>(8 * random(30));
      std::vector<std::uint32_t> positions(keys);
      std::vector<std::uint16_t> spreading(keys);
      for (unsigned i = 0; i < keys; ++i) {
        positions[i] = static_cast<std::uint32_t>(5000 + random(25));
        spreading[i] = static_cast<std::uint16_t>(random(65'536));
      }
      const auto bias = static_cast<std::uint32_t>(1 + random(100));
      const Query query{occupancy.at(Occupancy::kBefore + origin),
                        positions.data(),
                        spreading.data(),
                        5000,
                        slice_bits,
                        bias};
      taken.erase(taken.begin(), taken.begin() + origin);
      auto expected = by_definition(taken, query, keys, seed_bits);
      const auto fitting = std::erase_if(expected, [](Fit fit) { return fit.key == kNoCandidate; });
      std::ranges::sort(expected, {}, &Fit::key);
      for (const base::Cpu cpu : cpus()) {
        Candidates candidates;
        const std::uint32_t best = searches(seed_bits, cpu)[keys](query, candidates);
        std::vector<Fit> found;
        for (std::uint32_t f = 0; f < 1U << (seed_bits - kShiftBits); ++f) {
          if (candidates.keys[f] == kNoCandidate) continue;
          const std::uint32_t family = candidates.keys[f] & ((1U << kFamilyBits) - 1);
          found.push_back({candidates.keys[f], candidates.shifts[family]});
        }
        std::ranges::sort(found, {}, &Fit::key);
        ASSERT_EQ(found, expected) << keys << " keys, round " << round;
        ASSERT_EQ(best, expected.empty() ? kNoCandidate : expected.front().key);
      }
      ++(fitting != 0 ? without : with);
    }
  }
  EXPECT_GT(with, 20U);
  EXPECT_GT(without, 20U);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Kernel,
                         testing::Values(Shape{11, 11}, Shape{12, 6}, Shape{13, 11}, Shape{14, 10},
                                         Shape{15, 11}));

/// The kernels' spread begins half a slice before the lookup's.
TEST(Spread, IsThatOfTheLookup) {
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const std::uint64_t hi = base::mix64(i);
    const auto seed = static_cast<std::uint32_t>(base::mix64(~i) & 0xffff);
    const auto slice_bits = static_cast<unsigned>(i % (kMaxSliceBits + 1));
    const auto spreading = static_cast<std::uint16_t>(hi ^ 0x8000);
    const std::uint32_t in_slice = spread_in_slice(spreading, seed, slice_bits);
    ASSERT_LT(in_slice, 1U << slice_bits);
    if (slice_bits == 0) continue;  // has no half
    ASSERT_EQ(static_cast<std::int64_t>(in_slice) - (1 << slice_bits) / 2,
              spread(hi, seed, 16 - slice_bits));
  }
}

TEST(KernelTable, KnowsItsSeedWidths) {
  EXPECT_THROW(searches(10, base::Cpu::portable), std::logic_error);
  EXPECT_THROW(searches(16, base::Cpu::portable), std::logic_error);
}

}  // namespace
}  // namespace crivo::phast
