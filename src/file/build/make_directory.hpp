// SPDX-License-Identifier: Apache-2.0
/// Directories that outputs are published in.
#pragma once

#include <filesystem>
#include <string>

#include "file/directory.hpp"

namespace crivo::file {

/// Removes `name`, whatever it is, from the directory; nothing where there is none. Symbolic links
/// are not followed. Throws Error(io).
void remove_tree(const Directory& parent, const std::string& name);

/// Makes the directory, and those above it that are missing, if it is not there, and in any case
/// its name durable: what is published in it outlasts a loss of power only as it does. Returns
/// whether it was made. Throws Error(io).
bool make_directory(const std::filesystem::path& path);

}  // namespace crivo::file
