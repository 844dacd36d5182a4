// SPDX-License-Identifier: Apache-2.0
/// FCH's mapping step, which bucket a key is in, and its ordering step.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/arithmetic.hpp"
#include "structures/classic/range.hpp"

namespace crivo::classic {

/// b = ceil(3.5 n / (log2 n + 1)), with 16 bits of the logarithm's fraction found by squaring, so
/// that it is the same on every machine. n is from 1 to 2^30.
constexpr std::uint32_t fch_buckets(std::uint64_t keys) noexcept {
  const auto whole = static_cast<unsigned>(std::bit_width(keys)) - 1;
  std::uint64_t log = whole;
  std::uint64_t power = keys << (31 - whole);  // keys / 2^whole, in [1, 2), times 2^31
  for (unsigned bit = 0; bit < 16; ++bit) {
    power = power * power >> 31;
    const std::uint64_t carry = power >> 32;
    power >>= carry;
    log = log << 1 | carry;
  }
  return static_cast<std::uint32_t>(
      base::div_ceil((7 * keys) << 16, 2 * (log + (std::uint64_t{1} << 16))));
}

/// h10 takes a key to [0, n). Of those values 60 % go to 30 % of the buckets, whose many keys are
/// placed while there is room, and 40 % to the others.
class FchMapping {
 public:
  FchMapping() = default;
  FchMapping(Range range, std::uint32_t keys, std::uint32_t buckets) noexcept
      : h10_(range, keys),
        p1_(static_cast<std::uint32_t>(std::uint64_t{keys} * 6 / 10)),
        p2_(static_cast<std::uint32_t>(std::uint64_t{buckets} * 3 / 10)),
        rest_(buckets - p2_) {}

  std::uint32_t bucket(std::uint32_t value) const noexcept {
    const std::uint32_t i = h10_(value);
    return i < p1_ ? i % p2_ : p2_ + (i - p1_) % rest_;
  }

 private:
  Reduction h10_;
  std::uint32_t p1_ = 0;
  std::uint32_t p2_ = 0;
  std::uint32_t rest_ = 1;
};

}  // namespace crivo::classic
