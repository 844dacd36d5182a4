// SPDX-License-Identifier: Apache-2.0
/// Names for what is open already.
#pragma once

#include <optional>
#include <string>

#include "base/file_descriptor.hpp"

namespace crivo::base {

/// A name by which this process can open the file once more, whatever names it has by now; nothing
/// where /proc is not mounted, as in many a chroot.
std::optional<std::string> name_in_proc(const FileDescriptor& file);

}  // namespace crivo::base
