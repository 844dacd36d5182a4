// SPDX-License-Identifier: Apache-2.0
/// A few bytes of a text as one number, in whose order texts are.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace crivo::stream {

/// Bytes of a text that a slice holds.
inline constexpr std::size_t kSliceBytes = 7;

/// Up to kSliceBytes bytes of `text` from `depth` (at most its size) on, from the highest byte of
/// the number down, and in its lowest byte how many bytes are left, at most kSliceBytes + 1. Of two
/// texts that are equal before `depth`, the one with the lower slice is the lower one, bytes being
/// unsigned and a text before those that it begins; those with equal slices are equal if the slice
/// is_last(), else they are to be compared from depth + kSliceBytes on.
inline std::uint64_t slice_at(std::string_view text, std::size_t depth) noexcept {
  const char* const at = text.data() + depth;
  const std::size_t left = text.size() - depth;
  std::uint64_t word = 0;
  if (left > kSliceBytes) {
    std::memcpy(&word, at, sizeof word);
  } else {
    for (std::size_t i = 0; i < left; ++i)
      word |= std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
  }
  // What was put together byte by byte has the first in its lowest byte everywhere.
  if (std::endian::native == std::endian::little || left <= kSliceBytes)
    word = __builtin_bswap64(word);
  return (word & ~std::uint64_t{0xff}) | std::min(left, kSliceBytes + 1);
}

/// Whether a text ends within the slice.
inline bool is_last(std::uint64_t slice) noexcept {
  return (slice & 0xff) <= kSliceBytes;
}

}  // namespace crivo::stream
