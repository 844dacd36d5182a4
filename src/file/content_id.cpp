// SPDX-License-Identifier: Apache-2.0
#include "file/content_id.hpp"

#include <xxhash.h>

#include <cstring>
#include <string_view>

namespace crivo::file {

ContentId content_hash(base::ByteView bytes) noexcept {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  ContentId id;
  static_assert(sizeof canonical.digest == sizeof id);
  std::memcpy(id.data(), canonical.digest, id.size());
  return id;
}

std::string to_hex(base::ByteView id) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const std::byte b : id) {
    hex += kDigits[std::to_integer<unsigned>(b >> 4)];
    hex += kDigits[std::to_integer<unsigned>(b & std::byte{15})];
  }
  return hex;
}

}  // namespace crivo::file
