// SPDX-License-Identifier: Apache-2.0
#include "base/refuse_option.hpp"

#include <array>
#include <cstdio>

#include "crivo/error.hpp"

namespace crivo::base {

void refuse_option(const std::string& option, const std::string& problem) {
  throw Error(ErrorKind::usage, option + ": " + problem, {.remedy = option});
}

void refuse_option(const std::string& option, double value, const std::string& problem) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.10g ", value);
  refuse_option(option, text.data() + problem);
}

}  // namespace crivo::base
