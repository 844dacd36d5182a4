#include "mphf/kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "util/bits.hpp"

namespace crivo::mphf {
namespace {

/// A seed width, and the slice length that goes with it.
struct Shape {
  unsigned seed_bits;
  std::uint16_t slice_length;
};

/// The candidates by definition: every seed tried on a plain bitmap.
std::vector<std::uint32_t> by_definition(const std::vector<bool>& taken, const Query& query,
                                         unsigned keys, unsigned seed_bits) {
  std::vector<std::uint32_t> candidates;
  for (std::uint32_t family = 0; family < 1U << (seed_bits - kShiftBits); ++family) {
    for (std::uint32_t shift = family == 0 ? 1 : 0; shift < kShifts; ++shift) {
      std::uint32_t cost = 0;
      bool fits = true;
      for (unsigned i = 0; i < keys; ++i) {
        const std::uint32_t value =
            query.positions[i] - query.start + shift +
            spread(query.spreading[i], family << kShiftBits | shift, query.slice_length);
        fits = fits && !taken[value];
        cost += score(value + query.bias);
      }
      if (!fits) continue;
      candidates.push_back(cost << kFamilyBits | family);
      break;
    }
  }
  return candidates;
}

/// Every kernel that this processor has.
class Kernel : public testing::TestWithParam<Shape> {
 protected:
  static std::vector<util::Cpu> cpus() {
    if (util::cpu() == util::Cpu::portable) return {util::Cpu::portable};
    return {util::Cpu::portable, util::Cpu::avx2};
  }
};

TEST_P(Kernel, FindsWhatTheDefinitionFinds) {
  const auto [seed_bits, slice_length] = GetParam();
  const std::uint32_t values = slice_length + 2 * kShifts;
  std::uint64_t state = 0;
  const auto random = [&](std::uint64_t below) { return util::mulhi(util::mix64(++state), below); };
  std::size_t with = 0;
  std::size_t without = 0;
  for (unsigned keys = 1; keys <= kMaxBucketKeys; ++keys) {
    for (unsigned round = 0; round < 30; ++round) {
      const std::uint64_t full = random(101);  // percent
      std::vector<bool> taken(values, true);
      for (std::uint32_t v = 0; v < values - kShifts; ++v) taken[v] = random(100) < full;
      std::vector<std::uint32_t> windows(values - kShifts);
      for (std::uint32_t v = 0; v < windows.size(); ++v) {
        for (std::uint32_t i = 0; i < kShifts; ++i) {
          if (taken[v + i]) windows[v] |= 1U << i;
        }
      }
      std::vector<std::uint32_t> positions(keys);
      std::vector<std::uint16_t> spreading(keys);
      for (unsigned i = 0; i < keys; ++i) {
        positions[i] = static_cast<std::uint32_t>(5000 + random(17));
        spreading[i] = static_cast<std::uint16_t>(random(65'536));
      }
      const auto bias = static_cast<std::uint32_t>(1 + random(100));
      const Query query{windows.data(), positions.data(), spreading.data(),
                        5000,           slice_length,     bias};
      auto expected = by_definition(taken, query, keys, seed_bits);
      std::ranges::sort(expected);
      for (const util::Cpu cpu : cpus()) {
        Candidates candidates;
        const std::uint32_t best = searches(seed_bits, cpu)[keys](query, candidates);
        std::vector<std::uint32_t> found(candidates.keys.begin(),
                                         candidates.keys.begin() + candidates.count);
        std::erase(found, kNoCandidate);
        std::ranges::sort(found);
        ASSERT_EQ(found, expected) << keys << " keys, round " << round;
        ASSERT_EQ(best, expected.empty() ? kNoCandidate : expected.front());
      }
      ++(expected.empty() ? without : with);
    }
  }
  EXPECT_GT(with, 50U);
  EXPECT_GT(without, 50U);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Kernel, testing::Values(Shape{10, 928}, Shape{12, 1900}));

TEST(KernelTable, KnowsItsSeedWidths) {
  EXPECT_THROW(searches(11, util::Cpu::portable), std::logic_error);
}

}  // namespace
}  // namespace crivo::mphf
