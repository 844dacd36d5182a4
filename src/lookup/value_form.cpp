// SPDX-License-Identifier: Apache-2.0
#include "crivo/value_form.hpp"

#include <array>

namespace crivo {

std::span<const std::string_view> value_types() noexcept {
  static constexpr std::array<std::string_view, 3> kNames{"unsigned", "signed", "decimal"};
  return kNames;
}

std::string value_type_name(ValueType type) {
  return std::string(value_types()[static_cast<std::size_t>(type)]);
}

std::string value_text(std::uint64_t value, const ValueForm& form) {
  const bool negative = form.type != ValueType::unsigned_integer && value >> 63 != 0;
  std::string text = std::to_string(negative ? 0 - value : value);
  if (form.type == ValueType::decimal && form.scale != 0) {
    if (text.size() <= form.scale) text.insert(0, form.scale + 1 - text.size(), '0');
    text.insert(text.size() - form.scale, 1, '.');
  }
  return (negative ? "-" : "") + text;
}

}  // namespace crivo
