// SPDX-License-Identifier: Apache-2.0
/// Options of a call that are at fault.
#pragma once

#include <array>
#include <cstdio>
#include <string>

#include "crivo/error.hpp"

namespace crivo::base {

/// Throws Error(usage) with the remedy `option`: "OPTION: PROBLEM". `option` is a member of the
/// call's options, by its name.
[[noreturn]] inline void refuse_option(const std::string& option, const std::string& problem) {
  throw Error(ErrorKind::usage, option + ": " + problem, {.remedy = option});
}

/// The same of a number: "OPTION: VALUE PROBLEM".
[[noreturn]] inline void refuse_option(const std::string& option, double value,
                                       const std::string& problem) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.10g ", value);
  refuse_option(option, text.data() + problem);
}

}  // namespace crivo::base
