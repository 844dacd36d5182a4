// SPDX-License-Identifier: Apache-2.0
/// The names of files beside an output: those of a generation, where one file of a fixed name, the
/// pointer, says which generation is the one in use; and those of what is on its way to become an
/// output, with what killed processes left under them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "file/content_id.hpp"
#include "file/directory.hpp"
#include "file/output_target.hpp"

namespace crivo::file {

/// "data.mdb" of the generation whose index has this digest: "data-<its first 16 hex digits>.mdb".
std::string generation_name(std::string_view family, const Digest& digest);

/// The name without a generation's id: "data.mdb" of "data-0123456789abcdef.mdb"; any other name is
/// its own family.
std::string family_of(std::string_view name);

/// The 16 digits of "data-0123456789abcdef.mdb"; none of a name that is its own family.
std::string_view generation_of(std::string_view name) noexcept;

/// Whether the name's family is one of these.
bool is_member(std::string_view name, const std::vector<std::string>& families);

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
