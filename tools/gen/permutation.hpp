// SPDX-License-Identifier: Apache-2.0
/// Keyed bijections of an integer range onto itself: what makes a sequence look random while each
/// value still occurs exactly once.
#pragma once

#include <bit>
#include <cstdint>

#include "base/arithmetic.hpp"

namespace crivo::gen {

/// A 64-bit value drawn from `seed` for the purpose named by `purpose`.
constexpr std::uint64_t derive(std::uint64_t seed, std::uint64_t purpose) noexcept {
  return base::mix64(base::mix64(seed + 0x9e3779b97f4a7c15U) + 0xd1b54a32d192ed03U * purpose);
}

/// A keyed bijection on [0, n), 1 <= n <= 2^63. Rounds of odd multiplication, addition and
/// xor-shift, each a bijection modulo the power of two at or above n; values that land at n or
/// beyond are sent round again ("cycle walking"; Black and Rogaway, CT-RSA 2002), fewer than two
/// rounds on average.
class Permutation {
 public:
  constexpr Permutation(std::uint64_t n, std::uint64_t key) noexcept
      : n_(n),
        mask_(n < 2 ? 1 : std::bit_ceil(n) - 1),
        shift_((static_cast<unsigned>(std::bit_width(mask_)) + 1) / 2) {
    for (unsigned round = 0; round < kRounds; ++round) {
      factor_[round] = derive(key, 2 * round) | 1;
      addend_[round] = derive(key, 2 * round + 1);
    }
  }

  /// The image of x, which must be below n.
  constexpr std::uint64_t operator()(std::uint64_t x) const noexcept {
    do {
      for (unsigned round = 0; round < kRounds; ++round) {
        x = (x * factor_[round] + addend_[round]) & mask_;
        x ^= x >> shift_;
      }
    } while (x >= n_);
    return x;
  }

  constexpr std::uint64_t size() const noexcept { return n_; }

 private:
  static constexpr unsigned kRounds = 4;

  std::uint64_t n_;
  std::uint64_t mask_;
  unsigned shift_;
  std::uint64_t factor_[kRounds] = {};
  std::uint64_t addend_[kRounds] = {};
};

}  // namespace crivo::gen
