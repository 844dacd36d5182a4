// SPDX-License-Identifier: Apache-2.0
/// Directories that outputs are published in.
#pragma once

#include <filesystem>

namespace crivo::file {

/// Makes the directory, and those above it that are missing, if it is not there, and in any case
/// its name durable: what is published in it outlasts a loss of power only as it does. Returns
/// whether it was made. Throws Error(io).
bool make_directory(const std::filesystem::path& path);

}  // namespace crivo::file
