#include "mphf/kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "util/bits.hpp"

namespace crivo::mphf {
namespace {

constexpr unsigned kSeedBits = 10;
constexpr std::uint32_t kSliceLength = 928;
constexpr std::uint32_t kValues = kSliceLength + 2 * kShifts;

/// The candidates by definition: every seed tried on a plain bitmap.
std::vector<std::uint32_t> by_definition(const std::vector<bool>& taken, const Query& query,
                                         unsigned keys) {
  std::vector<std::uint32_t> candidates;
  for (std::uint32_t family = 0; family < 1U << (kSeedBits - kShiftBits); ++family) {
    for (std::uint32_t shift = family == 0 ? 1 : 0; shift < kShifts; ++shift) {
      std::uint32_t cost = 0;
      bool fits = true;
      for (unsigned i = 0; i < keys; ++i) {
        const std::uint32_t value =
            query.positions[i] - query.start + shift +
            spread(query.spreading[i], family << kShiftBits | shift, kSliceLength);
        fits = fits && !taken[value];
        cost += query.scores[value];
      }
      if (!fits) continue;
      candidates.push_back(cost << kFamilyBits | family);
      break;
    }
  }
  return candidates;
}

TEST(Kernel, FindsWhatTheDefinitionFinds) {
  std::vector<std::uint16_t> scores(kValues);
  for (std::uint32_t v = 0; v < kValues; ++v) scores[v] = static_cast<std::uint16_t>(10 * v + 7);
  std::uint64_t state = 0;
  const auto random = [&](std::uint64_t below) { return util::mulhi(util::mix64(++state), below); };
  std::size_t with = 0;
  std::size_t without = 0;
  for (unsigned keys = 1; keys <= kMaxBucketKeys; ++keys) {
    for (unsigned round = 0; round < 60; ++round) {
      const std::uint64_t full = random(101);  // percent
      std::vector<bool> taken(kValues, true);
      for (std::uint32_t v = 0; v < kValues - kShifts; ++v) taken[v] = random(100) < full;
      std::vector<std::uint32_t> windows(kValues - kShifts);
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
      const Query query{windows.data(),   scores.data(), positions.data(),
                        spreading.data(), 5000,          kSliceLength};
      Candidates candidates;
      const std::uint32_t best = searches(kSeedBits)[keys](query, candidates);
      std::vector<std::uint32_t> found(candidates.keys.begin(),
                                       candidates.keys.begin() + candidates.count);
      std::ranges::sort(found);
      auto expected = by_definition(taken, query, keys);
      std::ranges::sort(expected);
      ASSERT_EQ(found, expected) << keys << " keys, round " << round;
      ASSERT_EQ(best, expected.empty() ? kNoCandidate : expected.front());
      ++(expected.empty() ? without : with);
    }
  }
  EXPECT_GT(with, 100U);
  EXPECT_GT(without, 100U);
}

}  // namespace
}  // namespace crivo::mphf
