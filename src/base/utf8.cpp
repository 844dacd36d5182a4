// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "crivo/error.hpp"

namespace crivo {
namespace {

/// The leads of one length, and where the byte after them may lie; all later bytes are 80 to bf
/// (The Unicode Standard 15.0, table 3-7).
struct Form {
  unsigned char first_lead;
  unsigned char last_lead;
  unsigned char least_second;
  unsigned char greatest_second;
  std::size_t length;
};

constexpr Form kForms[] = {
    {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};

}  // namespace

std::size_t utf8_length(std::string_view bytes) noexcept {
  if (bytes.empty()) return 0;
  const auto byte = [bytes](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const auto* const form = std::ranges::find_if(kForms, [&](const Form& candidate) {
    return byte(0) >= candidate.first_lead && byte(0) <= candidate.last_lead;
  });
  if (form == std::end(kForms) || bytes.size() < form->length) return 0;
  if (form->length == 1) return 1;
  if (byte(1) < form->least_second || byte(1) > form->greatest_second) return 0;
  for (std::size_t i = 2; i < form->length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return form->length;
}

bool is_utf8(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

}  // namespace crivo
