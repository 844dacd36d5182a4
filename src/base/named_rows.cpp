// SPDX-License-Identifier: Apache-2.0
#include "base/named_rows.hpp"

#include <string>

#include "crivo/error.hpp"

namespace crivo::base {

void refuse_name(std::string_view what, std::string_view name,
                 std::span<const std::string_view> names) {
  std::string list;
  for (const std::string_view known : names) {
    list += (list.empty() ? "" : ", ") + std::string(known);
  }
  throw Error(ErrorKind::usage,
              "unknown " + std::string(what) + " '" + std::string(name) + "'; use one of: " + list);
}

}  // namespace crivo::base
