// SPDX-License-Identifier: Apache-2.0
/// What a call that succeeded has to say of its input or output.
#pragma once

#include <string>

#include "crivo/export.hpp"

namespace crivo {

struct Warning {
  std::string text{};    ///< one line: where, what it is, and what to do
  std::string remedy{};  ///< as ErrorPlace::remedy; empty where there is none

  friend bool operator==(const Warning&, const Warning&) = default;
};

}  // namespace crivo
