// SPDX-License-Identifier: Apache-2.0
/// Numbers among bytes, read and written one at a time (no structure is ever cast onto file bytes):
/// little-endian as in all files of ours, big-endian as in formats of others, and varints, which
/// are unsigned numbers of seven bits a byte, the lowest first, with the top bit set in every byte
/// but the last (LEB128).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace crivo::base {

using Bytes = std::vector<std::byte>;
using ByteView = std::span<const std::byte>;

/// The little-endian integer at `p`, which need not be aligned.
template <typename Int>
inline Int load_le(const void* p) noexcept {
  static_assert(std::is_unsigned_v<Int>);
  Int value;
  std::memcpy(&value, p, sizeof value);
  if constexpr (std::endian::native == std::endian::big) {
    Int swapped = 0;
    for (std::size_t i = 0; i < sizeof value; ++i)
      swapped = (swapped << 8) | ((value >> (8 * i)) & 0xff);
    value = swapped;
  }
  return value;
}

/// Stores `value` at `p` as little-endian bytes.
template <typename Int>
inline void store_le(void* p, Int value) noexcept {
  static_assert(std::is_unsigned_v<Int>);
  if constexpr (std::endian::native == std::endian::big) {
    auto* bytes = static_cast<unsigned char*>(p);
    for (std::size_t i = 0; i < sizeof value; ++i)
      bytes[i] = static_cast<unsigned char>(value >> (8 * i));
  } else {
    std::memcpy(p, &value, sizeof value);
  }
}

inline ByteView as_bytes(std::string_view text) noexcept {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline std::string_view as_text(ByteView bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class PageChecks;
struct CheckedBytes;

/// Reads fields in sequence from untrusted bytes. Every read is checked: one past the end, or a
/// nonzero reserved byte, throws Error(corrupt) with `what` in its message.
class FieldReader {
 public:
  FieldReader(ByteView bytes, std::string_view what) : bytes_(bytes), what_(what) {}
  /// The fields read are touched (base/page_checks.hpp), damage to them is an Error(corrupt) too.
  /// The bytes taken are not touched: that is left to who reads them.
  FieldReader(const CheckedBytes& bytes, std::string_view what);

  std::uint8_t u8() { return integer<std::uint8_t>(); }
  std::uint16_t u16() { return integer<std::uint16_t>(); }
  std::uint32_t u32() { return integer<std::uint32_t>(); }
  std::uint64_t u64() { return integer<std::uint64_t>(); }

  /// The next `count` bytes.
  ByteView take(std::uint64_t count);
  /// Likewise, of what is read at once.
  ByteView take_touched(std::uint64_t count);
  /// Returns what touches the bytes that were given; null: nothing does.
  const PageChecks* checks() const noexcept { return checks_; }
  /// Skips `count` reserved bytes, which must be zero.
  void zeros(std::uint64_t count);
  /// Skips `count` unused bytes, which may hold anything.
  void unused(std::uint64_t count) { take(count); }
  /// Skips the zero padding up to the next multiple of `unit` (a power of two) from the start.
  void align(std::uint64_t unit);
  /// The same of padding that is not looked at: bytes all over a section, whose pages an opening
  /// file need not read.
  void skip_to(std::uint64_t unit);

  std::uint64_t position() const noexcept { return position_; }
  std::uint64_t remaining() const noexcept { return bytes_.size() - position_; }
  /// Throws unless everything was read.
  void expect_end() const;
  /// Throws Error(corrupt): "<what>: <problem>".
  [[noreturn]] void fail(std::string_view problem) const;

 private:
  template <typename Int>
  Int integer() {
    return load_le<Int>(take_touched(sizeof(Int)).data());
  }

  ByteView bytes_;
  const PageChecks* checks_ = nullptr;
  std::string_view what_;
  std::uint64_t position_ = 0;
};

/// Builds a run of fields in memory, the counterpart of FieldReader.
class FieldWriter {
 public:
  FieldWriter& u8(std::uint8_t v) { return integer(v); }
  FieldWriter& u16(std::uint16_t v) { return integer(v); }
  FieldWriter& u32(std::uint32_t v) { return integer(v); }
  FieldWriter& u64(std::uint64_t v) { return integer(v); }
  FieldWriter& bytes(ByteView v) {
    bytes_.insert(bytes_.end(), v.begin(), v.end());
    return *this;
  }
  FieldWriter& zeros(std::uint64_t count) {
    bytes_.resize(bytes_.size() + count);
    return *this;
  }
  FieldWriter& align(std::uint64_t unit) {
    bytes_.resize((bytes_.size() + unit - 1) & ~(unit - 1));
    return *this;
  }

  const Bytes& view() const noexcept { return bytes_; }
  Bytes take() noexcept { return std::move(bytes_); }

 private:
  template <typename Int>
  FieldWriter& integer(Int v) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof v);
    store_le(bytes_.data() + at, v);
    return *this;
  }

  Bytes bytes_;
};

/// A number with its bytes the other way round.
template <typename Int>
constexpr Int reversed(Int value) noexcept {
  static_assert(std::is_unsigned_v<Int>);
  if constexpr (sizeof value == 8) {
    return __builtin_bswap64(value);
  } else if constexpr (sizeof value == 4) {
    return __builtin_bswap32(value);
  } else {
    static_assert(sizeof value == 2);
    return __builtin_bswap16(value);
  }
}
/// load_le() and store_le() with the highest byte first.
template <typename Int>
inline Int load_be(const void* p) noexcept {
  return reversed(load_le<Int>(p));
}
template <typename Int>
inline void store_be(void* p, Int value) noexcept {
  store_le(p, reversed(value));
}

/// 2 v of v >= 0, -2 v - 1 of a negative one, which are in two's complement.
constexpr std::uint64_t zigzag(std::uint64_t value) noexcept {
  return value << 1 ^ (0 - (value >> 63));
}

/// The value that zigzag() made `coded` of.
constexpr std::uint64_t unzigzag(std::uint64_t coded) noexcept {
  return coded >> 1 ^ (0 - (coded & 1));
}

/// The number of bytes of `value` as a varint: 1 to 5.
constexpr std::size_t varint_size(std::uint32_t value) noexcept {
  std::size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

/// Appends `value` to Bytes, or to a std::string.
template <typename To>
void append_varint(To& to, std::uint32_t value) {
  using Byte = typename To::value_type;
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<Byte>(value | 0x80));
  to.push_back(static_cast<Byte>(value));
}

/// Takes a varint off the front of `bytes`; false (and nothing promised of `bytes`) if it is cut
/// off or does not fit 32 bits.
inline bool take_varint(base::ByteView& bytes, std::uint32_t& value) noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < 5 && i < bytes.size(); ++i) {
    const auto byte = static_cast<std::uint64_t>(bytes[i]);
    sum |= (byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      value = static_cast<std::uint32_t>(sum);
      bytes = bytes.subspan(i + 1);
      return sum <= 0xffffffffU;
    }
  }
  return false;
}

}  // namespace crivo::base
