// SPDX-License-Identifier: Apache-2.0
/// About how many different hashes are among any number of them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/arithmetic.hpp"
#include "hashing/hash128.hpp"

namespace crivo::stream {

/// A HyperLogLog (Flajolet, Fusy, Gandouet, Meunier, AofA 2007) of 2^14 registers: 16 KiB, with a
/// standard error of 0.8 %.
class DistinctEstimate {
 public:
  void add(Hash128 hash) noexcept {
    const std::uint64_t mixed = base::mix64(hash.hi ^ hash.lo);
    std::uint8_t& most = registers_[mixed >> (64 - kBits)];
    const auto zeros = static_cast<std::uint8_t>(
        std::countl_zero(mixed << kBits | std::uint64_t{1} << (kBits - 1)));
    most = std::max(most, static_cast<std::uint8_t>(zeros + 1));
  }

  double count() const noexcept {
    const auto m = static_cast<double>(registers_.size());
    double sum = 0;
    for (const std::uint8_t most : registers_) sum += std::ldexp(1.0, -most);
    const double estimate = 0.7213 / (1 + 1.079 / m) * m * m / sum;
    const auto unused = static_cast<double>(std::ranges::count(registers_, 0));
    // Of few hashes, the registers without any tell more.
    return estimate <= 2.5 * m && unused != 0 ? m * std::log(m / unused) : estimate;
  }

 private:
  static constexpr unsigned kBits = 14;
  std::array<std::uint8_t, std::size_t{1} << kBits> registers_{};
};

}  // namespace crivo::stream
