// SPDX-License-Identifier: Apache-2.0
/// Copies of files in memory.
#pragma once

#include <filesystem>

#include "base/file_descriptor.hpp"

namespace crivo::records {

/// The bytes of `data`, which messages call `path`, in a file that lies in memory and has no name.
/// Throws Error(io) where there is no memory for it, or no /proc, by which alone LMDB can open it;
/// Error(corrupt) if the file is cut short meanwhile.
base::FileDescriptor copy_of(const base::FileDescriptor& data, const std::filesystem::path& path);

}  // namespace crivo::records
