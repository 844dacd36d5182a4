// SPDX-License-Identifier: Apache-2.0
/// A short name for bytes that tests pin.
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <span>
#include <string_view>

namespace crivo::test {

/// The first half of their XXH3-128.
inline std::uint64_t digest_of(std::string_view bytes) {
  return XXH3_128bits(bytes.data(), bytes.size()).high64;
}
inline std::uint64_t digest_of(std::span<const std::byte> bytes) {
  return digest_of(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace crivo::test
