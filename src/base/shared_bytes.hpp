// SPDX-License-Identifier: Apache-2.0
/// What two texts begin with alike.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace crivo::base {

/// How many bytes `a` and `b` begin with that are the same.
inline std::size_t shared_bytes(std::string_view a, std::string_view b) noexcept {
  const std::size_t least = std::min(a.size(), b.size());
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= least; at += sizeof(std::uint64_t)) {
    std::uint64_t one;
    std::uint64_t other;
    std::memcpy(&one, a.data() + at, sizeof one);
    std::memcpy(&other, b.data() + at, sizeof other);
    if (one != other) {
      const std::uint64_t differ = one ^ other;
      const int zeros = std::endian::native == std::endian::little ? std::countr_zero(differ)
                                                                   : std::countl_zero(differ);
      return at + static_cast<std::size_t>(zeros) / 8;
    }
  }
  while (at < least && a[at] == b[at]) ++at;
  return at;
}

}  // namespace crivo::base
