// SPDX-License-Identifier: Apache-2.0
/// Names for what is open already.
#pragma once

#include <unistd.h>

#include <optional>
#include <string>

#include "base/file_descriptor.hpp"

namespace crivo::base {

/// A name by which this process can open the file once more, whatever names it has by now; nothing
/// where /proc is not mounted, as in many a chroot.
inline std::optional<std::string> name_in_proc(const FileDescriptor& file) {
  std::string name = "/proc/self/fd/" + std::to_string(file.get());
  if (::access(name.c_str(), F_OK) != 0) return std::nullopt;
  return name;
}

}  // namespace crivo::base
