/// The values of sorted hashes.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace crivo::keys {

/// One value for each of some SortedHashes, in their order, in as few of 1, 2, 4 or 8 bytes as all
/// values fit in. A view of memory that belongs to the hashes. Immutable, so safe for any number of
/// threads.
class SortedValues {
 public:
  /// None, or all 0.
  SortedValues() = default;
  /// `data` are values of `value_bytes` bytes (1, 2, 4 or 8) each, in the machine's byte order, the
  /// largest of `bits` bits.
  SortedValues(const std::byte* data, unsigned value_bytes, unsigned bits) noexcept
      : data_(data), value_bytes_(value_bytes), bits_(bits) {}

  /// The fewest bytes of 1, 2, 4 and 8 that hold numbers of `bits` bits.
  static constexpr unsigned bytes_for(unsigned bits) noexcept {
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
  }

  /// The bits of the largest value: 0 if there is none but 0.
  unsigned bits() const noexcept { return bits_; }

  /// Sets `values` to those of the hashes from the one with index `first` on.
  void copy(std::uint64_t first, std::span<std::uint64_t> values) const noexcept {
    switch (value_bytes_) {
      case 1:
        return copy_as<std::uint8_t>(first, values);
      case 2:
        return copy_as<std::uint16_t>(first, values);
      case 4:
        return copy_as<std::uint32_t>(first, values);
      default:
        return copy_as<std::uint64_t>(first, values);
    }
  }

 private:
  template <typename Stored>
  void copy_as(std::uint64_t first, std::span<std::uint64_t> values) const noexcept {
    for (std::uint64_t i = 0; i < values.size(); ++i) {
      Stored stored;
      std::memcpy(&stored, data_ + (first + i) * sizeof stored, sizeof stored);
      values[i] = stored;
    }
  }

  const std::byte* data_ = nullptr;
  unsigned value_bytes_ = 1;
  unsigned bits_ = 0;
};

}  // namespace crivo::keys
