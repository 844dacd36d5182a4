// SPDX-License-Identifier: Apache-2.0
#include "build/universe_input.hpp"

#include <string>

#include "crivo/error.hpp"
#include "input/places.hpp"

namespace crivo::index {

std::vector<Warning> warn_of_missing(const KeyInput& members, std::uint64_t missing, bool strict) {
  if (missing == 0) return {};
  const std::string name = input::input_name(members, 0);
  const std::string problem = name + ": " + std::to_string(missing) +
                              (missing == 1 ? " member is" : " members are") +
                              " not in the universe";
  if (strict) throw Error(ErrorKind::bad_input, problem, {.file = name});
  return {{problem, {}}};
}

}  // namespace crivo::index
