// SPDX-License-Identifier: Apache-2.0
/// Removing directories with all that is in them. (Those of the standard library end the process
/// where there is no memory for a name.)
#pragma once

#include <string>

#include "file/directory.hpp"

namespace crivo::file {

/// Removes `name`, whatever it is, from the directory; nothing where there is none. Symbolic links
/// are not followed. Throws Error(io).
void remove_tree(const Directory& parent, const std::string& name);

}  // namespace crivo::file
