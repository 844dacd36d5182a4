// SPDX-License-Identifier: Apache-2.0
#include "file/trust/base64.hpp"

#include <algorithm>
#include <cstdint>

namespace crivo::trust {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string to_base64(base::ByteView bytes) {
  std::string text;
  for (; !bytes.empty(); bytes = bytes.subspan(std::min<std::size_t>(3, bytes.size()))) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < bytes.size() ? std::to_integer<std::uint32_t>(bytes[i]) : 0);
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= bytes.size() ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

bool from_base64(std::string_view text, std::span<std::byte> bytes) noexcept {
  if (text.size() != (bytes.size() + 2) / 3 * 4) return false;
  for (; !bytes.empty(); text.remove_prefix(4)) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size());
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t digit = i <= count ? kDigits.find(text[i]) : 0;
      if (digit == std::string_view::npos || (i > count && text[i] != '=')) return false;
      bits = bits << 6 | static_cast<std::uint32_t>(digit);
    }
    for (std::size_t i = 0; i < count; ++i)
      bytes[i] = static_cast<std::byte>(bits >> (16 - 8 * i) & 0xff);
    if ((bits & ((std::uint32_t{1} << (24 - 8 * count)) - 1)) != 0) return false;
    bytes = bytes.subspan(count);
  }
  return true;
}

}  // namespace crivo::trust
