// SPDX-License-Identifier: Apache-2.0
#include "hashing/seed.hpp"

#include <string_view>

namespace crivo::hashing {

std::string Seed::text() const {
  if (high == 0) return std::to_string(low);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t half : {high, low}) {
    for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[half >> shift & 15];
  }
  return text;
}

}  // namespace crivo::hashing
