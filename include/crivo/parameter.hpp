// SPDX-License-Identifier: Apache-2.0
/// What a structure says of its own shape.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "crivo/export.hpp"

namespace crivo {

/// A named figure of one structure, such as ("hashes", 6): a field of the JSON object `parameters`
/// of `build` and `info`, and a row of the text.
struct Parameter {
  std::string name;  ///< lower case, words joined by _
  std::variant<std::uint64_t, double, bool> value;

  friend bool operator==(const Parameter&, const Parameter&) = default;
};

}  // namespace crivo
