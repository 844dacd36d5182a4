// SPDX-License-Identifier: Apache-2.0
/// How the numbers of tokens stand in a unit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

namespace crivo::records {

// Numbers of 12 bits one after the other, the lowest bits of the first byte first; four bits that
// are left over are zero.
struct Packed12 {
  static constexpr unsigned kBits = 12;

  // The bytes of so many tokens.
  static std::size_t size(std::size_t tokens) noexcept { return (3 * tokens + 1) / 2; }
  static bool count(base::ByteView stored, std::size_t& tokens) noexcept {
    tokens = 2 * stored.size() / 3;
    return size(tokens) == stored.size() &&
           (tokens % 2 == 0 || static_cast<unsigned>(stored.back()) < 16);
  }
  static std::uint32_t get(const std::byte* stored, std::size_t i) noexcept {
    const std::uint32_t both = base::load_le<std::uint16_t>(stored + 3 * i / 2);
    return i % 2 == 0 ? both & 0xfff : both >> 4;
  }
  // In order.
  static void put(std::byte* stored, std::size_t i, std::uint32_t token) noexcept {
    std::byte* const at = stored + 3 * i / 2;
    if (i % 2 == 0) {
      base::store_le(at, static_cast<std::uint16_t>(token));
    } else {
      *at |= static_cast<std::byte>(token << 4);
      at[1] = static_cast<std::byte>(token >> 4);
    }
  }
  // Tokens that eight bytes hold and that end with a byte, and how many bytes they are.
  static constexpr std::size_t kRun = 4;
  static constexpr std::size_t kRunBytes = 6;
};

// Numbers of 16 bits.
struct Packed16 {
  static constexpr unsigned kBits = 16;

  static std::size_t size(std::size_t tokens) noexcept { return 2 * tokens; }
  static bool count(base::ByteView stored, std::size_t& tokens) noexcept {
    tokens = stored.size() / 2;
    return stored.size() % 2 == 0;
  }
  static std::uint32_t get(const std::byte* stored, std::size_t i) noexcept {
    return base::load_le<std::uint16_t>(stored + 2 * i);
  }
  static void put(std::byte* stored, std::size_t i, std::uint32_t token) noexcept {
    base::store_le(stored + 2 * i, static_cast<std::uint16_t>(token));
  }
  static constexpr std::size_t kRun = 4;
  static constexpr std::size_t kRunBytes = 8;
};

}  // namespace crivo::records
