// SPDX-License-Identifier: Apache-2.0
#include "base/proc_name.hpp"

#include <unistd.h>

namespace crivo::base {

std::optional<std::string> name_in_proc(const FileDescriptor& file) {
  std::string name = "/proc/self/fd/" + std::to_string(file.get());
  if (::access(name.c_str(), F_OK) != 0) return std::nullopt;
  return name;
}

}  // namespace crivo::base
