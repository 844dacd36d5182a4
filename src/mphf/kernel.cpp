#include "mphf/kernel.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace crivo::mphf {
namespace {

template <unsigned kFamilies>
constexpr auto kOddNumbers = [] {
  std::array<std::uint16_t, kFamilies> odd{};
  for (unsigned f = 0; f < kFamilies; ++f) odd[f] = static_cast<std::uint16_t>(2 * f + 1);
  return odd;
}();

/// The portable search. Loops over families are innermost and of fixed length where they vectorise
/// (16-bit lanes), the loops over the bucket's keys are unrolled.
template <unsigned kFamilies, unsigned kKeys>
std::uint32_t search(const Query& query, Candidates& candidates) {
  alignas(64) std::uint16_t at[kKeys][kFamilies];
  const std::uint16_t slice_length = query.slice_length;
  for (unsigned i = 0; i < kKeys; ++i) {
    const std::uint16_t bits = query.spreading[i];
    const auto base = static_cast<std::uint16_t>(query.positions[i] - query.start);
    for (unsigned f = 0; f < kFamilies; ++f) {
      const auto y = static_cast<std::uint16_t>(bits * kOddNumbers<kFamilies>[f]);
      const auto x =
          static_cast<std::uint16_t>((static_cast<std::uint32_t>(y) * slice_length) >> 16);
      at[i][f] = static_cast<std::uint16_t>(x + base);
    }
  }

  std::uint32_t free[kFamilies];
  std::uint32_t family[kFamilies];
  std::uint32_t count = 0;
  const auto look = [&](std::uint32_t f, std::uint32_t taken) {
    for (unsigned i = 0; i < kKeys; ++i) taken |= query.windows[at[i][f]];
    free[count] = ~taken;
    family[count] = f;
    count += taken != 0xffffffff ? 1 : 0;
  };
  look(0, 1);
#pragma GCC unroll 2
  for (std::uint32_t f = 1; f < kFamilies; ++f) look(f, 0);

  std::uint32_t best = kNoCandidate;
  for (std::uint32_t c = 0; c < count; ++c) {
    const std::uint32_t f = family[c];
    const std::uint16_t* scores = query.scores + std::countr_zero(free[c]);
    std::uint32_t cost = 0;
    for (unsigned i = 0; i < kKeys; ++i) cost += scores[at[i][f]];
    const std::uint32_t key = cost << kFamilyBits | f;
    candidates.keys[c] = key;
    best = std::min(best, key);
  }
  candidates.count = count;
  return best;
}

template <unsigned kFamilies, unsigned... kSizes>
constexpr std::array<Search, kMaxBucketKeys + 1> table(std::integer_sequence<unsigned, kSizes...>) {
  return {nullptr, &search<kFamilies, kSizes + 1>...};
}

}  // namespace

const std::array<Search, kMaxBucketKeys + 1>& searches(unsigned seed_bits) {
  using Sizes = std::make_integer_sequence<unsigned, kMaxBucketKeys>;
  static constexpr auto kTenBits = table<1U << (10 - kShiftBits)>(Sizes{});
  if (seed_bits != 10) throw std::logic_error("no PHast kernel for this seed width");
  return kTenBits;
}

}  // namespace crivo::mphf
