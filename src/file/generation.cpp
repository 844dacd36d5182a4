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

std::string_view generation_of(std::string_view name) noexcept {
  const std::size_t dot = std::min(name.find('.'), name.size());
  if (dot < kDigits + 1 || name[dot - kDigits - 1] != '-') return {};
  const std::string_view digits(name.data() + dot - kDigits, kDigits);
  return digits.find_first_not_of("0123456789abcdef") == std::string_view::npos
             ? digits
             : std::string_view{};
}

std::string family_of(std::string_view name) {
  const std::string_view digits = generation_of(name);
  if (digits.empty()) return std::string(name);
  const auto begin = static_cast<std::size_t>(digits.data() - name.data());
  return std::string(name.substr(0, begin - 1)) + std::string(name.substr(begin + kDigits));
}

bool is_member(std::string_view name, const std::vector<std::string>& families) {
  return std::ranges::find(families, family_of(name)) != families.end();
}

}  // namespace crivo::file
