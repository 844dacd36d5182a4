// SPDX-License-Identifier: Apache-2.0
#include "structures/split_block/build/rate.hpp"

#include <algorithm>

#include "base/arithmetic.hpp"
#include "structures/bits/fixed_point.hpp"
#include "structures/split_block/table.hpp"

namespace crivo::filter::split_block {
namespace {

using bits::Uint128;

/// Probabilities are in units of 2^-63, so that there is a 1.
constexpr std::uint64_t kOne = std::uint64_t{1} << 63;

constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) noexcept {
  return static_cast<std::uint64_t>(Uint128{a} * b >> 63);
}

/// (numerator / 32)^k.
constexpr std::uint64_t power(std::uint64_t numerator, std::uint64_t k) noexcept {
  std::uint64_t result = kOne;
  for (std::uint64_t square = numerator << 58; k != 0; k >>= 1, square = times(square, square)) {
    if ((k & 1) != 0) result = times(result, square);
  }
  return result;
}

/// p to the power of the words of a block.
constexpr std::uint64_t of_all_words(std::uint64_t p) noexcept {
  static_assert(kWords == 8);
  const std::uint64_t square = times(p, p);
  const std::uint64_t fourth = times(square, square);
  return times(fourth, fourth);
}

/// Of a block with k keys, the rate and its square over all contents, weighted and summed.
struct Moments {
  Uint128 weights = 0;
  Uint128 rates = 0;
  Uint128 squares = 0;

  void add(std::uint64_t k, std::uint64_t weight) noexcept {
    // Of a word, the chances that one bit, and that two given ones, are clear.
    const std::uint64_t one = power(31, k);
    const std::uint64_t two = power(30, k);
    const std::uint64_t set = kOne - one;
    const std::uint64_t both = 2 * set > kOne - two ? 2 * set - (kOne - two) : 0;
    weights += weight;
    rates += Uint128{weight} * of_all_words(set);
    squares += Uint128{weight} * of_all_words(set / 32 + both / 32 * 31);
  }
};

}  // namespace

Rate rate_of(std::uint64_t n, std::uint64_t blocks) noexcept {
  if (n == 0) return {};
  Moments moments;
  // From about the likeliest number of keys both ways, until nothing is left of its weight.
  constexpr std::uint64_t kWeight = std::uint64_t{1} << 56;
  const std::uint64_t likely = n / blocks;
  const Uint128 others = blocks - 1;
  Uint128 weight = kWeight;
  for (std::uint64_t k = likely; weight != 0; ++k) {
    moments.add(k, static_cast<std::uint64_t>(weight));
    if (k == n) break;
    weight = weight * (n - k) / (Uint128{k + 1} * others);
  }
  weight = kWeight;
  for (std::uint64_t k = likely; k != 0; --k) {
    weight = weight * (Uint128{k} * others) / (n - k + 1);
    if (weight == 0) break;
    moments.add(k - 1, static_cast<std::uint64_t>(weight));
  }
  const auto mean = static_cast<std::uint64_t>(moments.rates / moments.weights);
  const Uint128 square = moments.squares / moments.weights << 63;
  const Uint128 variance = square - std::min(square, Uint128{mean} * mean);
  const auto doubled = [](std::uint64_t p) { return p >= kOne ? UINT64_MAX : 2 * p; };
  return {doubled(mean), doubled(bits::square_root(variance / blocks))};
}

std::uint64_t blocks_for(std::uint64_t n, std::uint64_t fpr) noexcept {
  std::uint64_t low = std::max<std::uint64_t>(1, base::div_ceil(n, kBlockBits));
  std::uint64_t high = kMaxBlocks + 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    const Rate rate = rate_of(n, middle);
    if (rate.mean <= fpr && rate.deviation <= (fpr - rate.mean) / kDeviations) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace crivo::filter::split_block
