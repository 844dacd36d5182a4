// SPDX-License-Identifier: Apache-2.0
/// Bases as numbers of 2 bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace crivo::keys {

inline constexpr std::uint8_t kNoBase = 4;

constexpr std::array<std::uint8_t, 256> base_numbers() noexcept {
  std::array<std::uint8_t, 256> numbers{};
  numbers.fill(kNoBase);
  std::uint8_t number = 0;
  for (const char base : {'A', 'C', 'G', 'T'}) {
    numbers[static_cast<unsigned char>(base)] = number;
    numbers[static_cast<unsigned char>(base | 0x20)] = number;
    ++number;
  }
  return numbers;
}
inline constexpr std::array<std::uint8_t, 256> kBaseNumbers = base_numbers();

/// The last k bases, and the complements of them in reverse.
class KmerWindow {
 public:
  /// Has 1 to 31 bases.
  explicit KmerWindow(unsigned k) noexcept
      : k_(k), mask_(~std::uint64_t{0} >> (64 - 2 * k)), top_(2 * (k - 1)) {}

  void restart() noexcept { bases_ = 0; }
  /// Whether there are k bases now.
  bool add(char byte) noexcept {
    const std::uint64_t base = kBaseNumbers[static_cast<unsigned char>(byte)];
    if (base == kNoBase) {
      restart();
      return false;
    }
    forward_ = (forward_ << 2 | base) & mask_;
    reverse_ = reverse_ >> 2 | (3 - base) << top_;
    bases_ = std::min(bases_ + 1, k_);
    return bases_ == k_;
  }
  std::uint64_t canonical() const noexcept { return std::min(forward_, reverse_); }

 private:
  unsigned k_;
  std::uint64_t mask_;
  unsigned top_;
  std::uint64_t forward_ = 0;
  std::uint64_t reverse_ = 0;
  unsigned bases_ = 0;
};

}  // namespace crivo::keys
