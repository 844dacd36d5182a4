// SPDX-License-Identifier: Apache-2.0
#include "file/generation.hpp"

#include <algorithm>

#include "file/content_id.hpp"

namespace crivo::file {

namespace {

constexpr std::size_t kDigits = 16;

}  // namespace

std::string generation_name(std::string_view family, const Digest& digest) {
  const std::size_t dot = std::min(family.find('.'), family.size());
  return std::string(family.substr(0, dot)) + "-" + to_hex(digest).substr(0, kDigits) +
         std::string(family.substr(dot));
}

std::string family_of(std::string_view name) {
  const std::size_t dot = std::min(name.find('.'), name.size());
  if (dot < kDigits + 1 || name[dot - kDigits - 1] != '-') return std::string(name);
  const std::string_view digits = name.substr(dot - kDigits, kDigits);
  if (digits.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
    return std::string(name);
  }
  return std::string(name.substr(0, dot - kDigits - 1)) + std::string(name.substr(dot));
}

bool is_member(std::string_view name, const std::vector<std::string>& families) {
  return std::ranges::find(families, family_of(name)) != families.end();
}

}  // namespace crivo::file
