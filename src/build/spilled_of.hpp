// SPDX-License-Identifier: Apache-2.0
/// What a stream writes to temporary files.
#pragma once

#include <cstdint>

namespace crivo::index {

/// Of so many bytes, within `most` of memory: all or none, as it is spilled when three quarters of
/// that are full.
constexpr std::uint64_t spilled_of(std::uint64_t bytes, std::uint64_t most) noexcept {
  return bytes > most / 4 * 3 ? bytes : 0;
}

}  // namespace crivo::index
