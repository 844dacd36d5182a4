// SPDX-License-Identifier: Apache-2.0
/// The names of what is on its way to become an output, and what killed processes left under them.
#pragma once

#include <string>
#include <vector>

#include "file/directory.hpp"
#include "file/output_target.hpp"

namespace crivo::file {

/// Tries to get the lock of an open file or directory without waiting. Whoever gives something a
/// temporary name holds its lock as long as it has that name: what can be locked is left over.
bool lock_at_once(int fd) noexcept;

/// A hidden name beside an output, ".crivo-<16 hex digits of its name's hash>-<16 random ones>.tmp"
/// (44 bytes, however long the output's name). Throws Error(io).
std::string temporary_name(const OutputTarget& target);

/// The name of the file that NameLock locks, which is removed like those.
std::string lock_name(const OutputTarget& target);

/// Removes the files and directories that killed processes left under temporary names of this
/// output. Passes over what it cannot remove, and does nothing where the parent directory may not
/// be read.
void remove_leftovers(const OutputTarget& target);

/// Removes `name`, an open directory, from `parent`, with the regular files in it whose families
/// are `members`. Returns 0, or the error's number; then the directory stays, with what else it
/// holds.
int remove_directory(const Directory& parent, const std::string& name, int directory,
                     const std::vector<std::string>& members) noexcept;

}  // namespace crivo::file
