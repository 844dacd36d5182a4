// SPDX-License-Identifier: Apache-2.0
/// How the hash of AES rounds cuts a text up.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "hashing/aes_hash.hpp"

namespace crivo::hashing {

/// A text of up to this length is one leaf of the tree.
inline constexpr std::size_t kLeafBytes = AesKeys::kLanes * AesKeys::kBlockBytes;
/// Of a longer one than the tree takes, which is in no set, so many bytes are looked at.
inline constexpr std::size_t kTreeBytes = kLeafBytes << 3 * (AesKeys::kLevels - 1);

/// The height of the tree of a text: how many levels are above its leaves.
constexpr std::size_t tree_height(std::size_t size) noexcept {
  std::size_t height = 0;
  for (std::size_t bytes = kLeafBytes; bytes < size; bytes *= AesKeys::kLanes) ++height;
  return height;
}

/// The block of at most 16 bytes, which it and their number determine.
struct ShortBlock {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};
inline ShortBlock short_block(const char* text, std::size_t size) noexcept {
  if (size >= 8) {
    return {base::load_le<std::uint64_t>(text), base::load_le<std::uint64_t>(text + size - 8)};
  }
  if (size >= 4) {
    return {base::load_le<std::uint32_t>(text), base::load_le<std::uint32_t>(text + size - 4)};
  }
  if (size == 0) return {};
  const auto byte = [&](std::size_t i) {
    return std::uint64_t{static_cast<unsigned char>(text[i])};
  };
  return {byte(0) | byte(size / 2) << 8 | byte(size - 1) << 16, 0};
}

}  // namespace crivo::hashing
