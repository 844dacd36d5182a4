// SPDX-License-Identifier: Apache-2.0
/// Forms of values: what those of a map are, and how they are written in decimal.
///
///     crivo::value_text(1250, {crivo::ValueType::decimal, 2});  // "12.50"
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "crivo/detail/export.hpp"

namespace crivo {

enum class ValueType : std::uint8_t {
  unsigned_integer,  ///< below 2^64
  signed_integer,    ///< from -2^63 to 2^63 - 1
  decimal,           ///< a signed integer over 10^scale
};

struct ValueForm {
  ValueType type = ValueType::unsigned_integer;
  unsigned scale = 0;  ///< of decimals, 0 to kMaxValueScale: the digits after the point

  friend bool operator==(const ValueForm&, const ValueForm&) = default;
};

inline constexpr unsigned kMaxValueScale = 18;

/// Returns the names of the types: "unsigned", "signed" and "decimal".
CRIVO_API std::span<const std::string_view> value_types() noexcept;
/// Returns the name of a type: "unsigned", "signed" or "decimal".
CRIVO_API std::string value_type_name(ValueType type);

/// Returns a value in decimal digits, as its form has it: signed ones are in two's complement, and
/// -1250 with the scale 2 is "-12.50".
CRIVO_API std::string value_text(std::uint64_t value, const ValueForm& form);

}  // namespace crivo
