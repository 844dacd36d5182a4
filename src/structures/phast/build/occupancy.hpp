// SPDX-License-Identifier: Apache-2.0
/// Which values of a partition are taken, in a form that answers for many values at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.hpp"

namespace crivo::phast {

/// A bitmap of the values around and in [0, values), where those outside count as taken, in eight
/// copies (rows): bit i of row r is that of place i + r. So the bits from any place on begin a byte
/// of one of the rows, and the kernels load a seed family's shifts without shifting them. A byte a
/// value in all. Value v has place v + kBefore. One thread at a time.
class Occupancy {
 public:
  static constexpr std::uint32_t kRows = 8;
  /// Values before 0, and from `values` on, that there are bits for.
  static constexpr std::uint32_t kBefore = 1536;
  static constexpr std::uint32_t kAfter = 2048;
  /// From a row to the next. Not a power of two, so that rows keep apart in a cache's sets. The
  /// memory that a partition does not need is never touched.
  static constexpr std::uint32_t kRowBytes = (1U << 18) + (1U << 9);
  static constexpr std::uint32_t kMaxValues = 1U << 21;

  Occupancy();

  /// All of [0, values) become free. At most kMaxValues.
  void reset(std::uint32_t values);

  /// The bits from `place`, a multiple of 8, on, in row 0.
  const std::uint8_t* at(std::uint32_t place) const noexcept { return bits_.get() + place / 8; }

  bool taken(std::uint32_t place) const noexcept {
    return (bits_[place / 8] >> (place % 8) & 1) != 0;
  }
  void take(std::uint32_t place) noexcept {
    change(place, [](std::uint16_t bits, std::uint32_t mask) { return bits | mask; });
  }
  /// Undoes take().
  void release(std::uint32_t place) noexcept {
    change(place, [](std::uint16_t bits, std::uint32_t mask) { return bits & ~mask; });
  }

  /// Appends the free values, ascending, to `values`.
  void append_free(std::vector<std::uint32_t>& values) const;

 private:
  /// Changes the bit of `place`, which is in one of two neighbouring bytes, in every row.
  template <typename Change>
  void change(std::uint32_t place, Change change) noexcept {
    std::uint8_t* bytes = bits_.get() + (place / 8 - 1);
    std::uint32_t mask = 1U << (8 + place % 8);
#pragma GCC unroll 8
    for (std::uint32_t r = 0; r < kRows; ++r, bytes += kRowBytes, mask >>= 1) {
      const auto bits = base::load_le<std::uint16_t>(bytes);
      base::store_le(bytes, static_cast<std::uint16_t>(change(bits, mask)));
    }
  }

  std::uint32_t values_ = 0;
  std::unique_ptr<std::uint8_t[]> bits_;
};

}  // namespace crivo::phast
