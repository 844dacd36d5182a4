// SPDX-License-Identifier: Apache-2.0
/// How the seeds' algorithms make numbers below m of 32-bit hash values.
#pragma once

#include <bit>
#include <cstdint>

namespace crivo::classic {

/// Permanent numbers of the file format (formats/seeds.md).
enum class Range : std::uint8_t {
  modulo = 0,    ///< the dissertation's for the universal and the Zobrist hash: value mod m
  mask_xor = 1,  ///< its for the Jenkins hash: the low ceil(log2 m) bits; xor m where that is >= m
  unbiased = 2,  ///< each number as often as another (Lemire, "Fast Random Integer Generation in an
                 ///< Interval", 2019)
};
inline constexpr std::uint8_t kRanges = 3;

/// Maps 32-bit values to [0, m), 1 <= m < 2^32.
class Reduction {
 public:
  Reduction() = default;
  Reduction(Range range, std::uint32_t m) noexcept : range_(range), m_(m) {
    if (range == Range::mask_xor) {
      bound_ = static_cast<std::uint32_t>((std::uint64_t{1} << std::bit_width(m - 1)) - 1);
    } else {
      bound_ = (0 - m) % m;
    }
  }

  std::uint32_t operator()(std::uint32_t value) const noexcept {
    switch (range_) {
      case Range::modulo:
        return value % m_;
      case Range::mask_xor:
        value &= bound_;
        return value >= m_ ? value ^ m_ : value;
      case Range::unbiased:
        break;
    }
    std::uint64_t product = std::uint64_t{value} * m_;
    // 2^32 mod m of the values are one too many for their number, and are drawn again.
    for (unsigned draw = 0; static_cast<std::uint32_t>(product) < bound_ && draw < kMaxDraws;
         ++draw) {
      value = mixed(value + 1);
      product = std::uint64_t{value} * m_;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

 private:
  static constexpr unsigned kMaxDraws = 32;

  /// A bijection in which every input bit reaches every output bit (MurmurHash3's finaliser).
  static std::uint32_t mixed(std::uint32_t x) noexcept {
    x = (x ^ x >> 16) * 0x85ebca6bU;
    x = (x ^ x >> 13) * 0xc2b2ae35U;
    return x ^ x >> 16;
  }

  Range range_ = Range::modulo;
  std::uint32_t m_ = 1;
  std::uint32_t bound_ = 0;  ///< mask_xor: the mask; unbiased: 2^32 mod m
};

}  // namespace crivo::classic
