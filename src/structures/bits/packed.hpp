// SPDX-License-Identifier: Apache-2.0
/// Arrays of integers of a few bits each, packed without gaps from the low bits of each byte.
#pragma once

#include <cstdint>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "base/sink.hpp"

namespace crivo::bits {

/// The bytes of a packed array of `bits` bits in all: it ends with at least seven zero bytes, up to
/// a multiple of 8, so that a 64-bit load at any of its bytes stays inside.
constexpr std::uint64_t padded_bytes(std::uint64_t bits) noexcept {
  return base::align_up(base::div_ceil(bits, 8) + 7, 8);
}

/// The `width` (0 to 56) bits from bit `place` of a padded array on.
inline std::uint64_t load_bits(const std::byte* array, std::uint64_t place,
                               unsigned width) noexcept {
  const std::uint64_t word = base::load_le<std::uint64_t>(array + place / 8) >> (place % 8);
  return word & ((std::uint64_t{1} << width) - 1);
}

/// Fills an array in order.
class PackedWriter {
 public:
  explicit PackedWriter(std::byte* at) noexcept : at_(at) {}

  /// Appends `value`, which has at most `width` (0 to 56) bits.
  void put(std::uint64_t value, unsigned width) noexcept {
    pending_ |= value << pending_bits_;
    pending_bits_ += width;
    for (; pending_bits_ >= 8; pending_bits_ -= 8, pending_ >>= 8)
      *at_++ = static_cast<std::byte>(pending_);
  }
  /// Writes the last byte, if it is not full.
  void finish() noexcept {
    if (pending_bits_ != 0) *at_++ = static_cast<std::byte>(pending_);
  }

 private:
  std::byte* at_;
  std::uint64_t pending_ = 0;
  unsigned pending_bits_ = 0;
};

/// Appends an array to a sink, in a few kilobytes of memory.
class PackedSink {
 public:
  /// Of values of `width` (0 to 56) bits each. The sink must outlive it.
  PackedSink(base::Sink& sink, unsigned width)
      : sink_(sink), width_(width), some_(padded_bytes(kTogether * width)), writer_(some_.data()) {}

  void put(std::uint64_t value) {
    writer_.put(value, width_);
    if (++count_ % kTogether != 0) return;
    sink_.append(base::ByteView(some_).first(kTogether * width_ / 8));
    writer_ = PackedWriter(some_.data());
  }
  /// Appends what is left, and the padding.
  void finish() {
    writer_.finish();
    const std::uint64_t behind = count_ % kTogether;
    const std::uint64_t last_bytes = base::div_ceil(behind * width_, 8);
    sink_.append(base::ByteView(some_).first(last_bytes));
    sink_.append(
        base::Bytes(padded_bytes(count_ * width_) - (count_ - behind) * width_ / 8 - last_bytes));
  }

 private:
  static constexpr std::uint64_t kTogether = 4096;  ///< have a whole number of bytes

  base::Sink& sink_;
  unsigned width_;
  base::Bytes some_;
  PackedWriter writer_;
  std::uint64_t count_ = 0;
};

}  // namespace crivo::bits
