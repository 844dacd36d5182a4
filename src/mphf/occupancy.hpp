/// Which values of a partition are taken, in a form that answers for many values at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "file/bytes.hpp"

namespace crivo::mphf {

/// A bitmap of the values around and in [0, values), where those outside count as taken, in eight
/// copies (rows): bit i of row r is that of value i + r - kBefore. So the bits from any value on
/// stand at the start of a byte of one of the rows, and the kernels load a seed family's shifts
/// without shifting them. A byte a value in all.
///
/// Places below are values + kBefore. Not for threads at once.
class Occupancy {
 public:
  static constexpr std::uint32_t kRows = 8;
  /// Values before 0 and from `values` on that there are bits for. The latter leave room for a load
  /// of 32 bytes at any place in front of `values` + 2048.
  static constexpr std::uint32_t kBefore = 1536;
  static constexpr std::uint32_t kAfter = 2048 + 256 + 64;

  /// All of [0, values) become free.
  void reset(std::uint32_t values);

  /// The byte with the bits of `place`, in row 0. `place` is a multiple of 8.
  const std::uint8_t* at(std::uint32_t place) const noexcept { return bits_.data() + place / 8; }
  /// Row r begins r * row_bytes() after row 0, where row_bytes() is 2^9 * (2^row_shift() + 1): an
  /// easy factor for the kernels, which keeps the rows apart in a cache's sets.
  unsigned row_shift() const noexcept { return row_shift_; }
  std::uint32_t row_bytes() const noexcept { return ((1U << row_shift_) + 1) << kRowUnitBits; }
  static constexpr unsigned kRowUnitBits = 9;

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
    const std::uint32_t mask = 1U << (8 + place % 8);
    const std::size_t row = row_bytes();
    std::uint8_t* const bytes = bits_.data() + (place / 8 - 1);
#pragma GCC unroll 8
    for (std::uint32_t r = 0; r < kRows; ++r) {
      const auto bits = file::load_le<std::uint16_t>(bytes + r * row);
      file::store_le(bytes + r * row, static_cast<std::uint16_t>(change(bits, mask >> r)));
    }
  }

  std::uint32_t values_ = 0;
  unsigned row_shift_ = 0;
  std::vector<std::uint8_t> bits_;
};

}  // namespace crivo::mphf
