// SPDX-License-Identifier: Apache-2.0
/// Append-only files with names, which outlive the process so that another can go on behind what
/// they hold.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/file_descriptor.hpp"

namespace crivo::base {

/// Opens a log to read and write, and makes it if it is not there. Throws Error(io).
FileDescriptor open_lasting_log(const std::filesystem::path& path);

/// Leaves the first `bytes` of it. Throws Error(corrupt) if it is shorter, Error(io).
void cut_lasting_log(const FileDescriptor& log, const std::filesystem::path& path,
                     std::uint64_t bytes);

/// Makes all that was written durable. Throws Error(io).
void sync_lasting_log(const FileDescriptor& log, const std::filesystem::path& path);

/// Makes the names that were given and taken away in an open directory durable. Throws Error(io).
void sync_lasting_names(const FileDescriptor& directory, const std::filesystem::path& path);

/// Throws Error(corrupt) for a log that does not hold what was written to it.
[[noreturn]] void fail_damaged_log(const std::filesystem::path& path);

}  // namespace crivo::base
