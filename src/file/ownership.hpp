// SPDX-License-Identifier: Apache-2.0
/// Who may read what replaces a file.
#pragma once

#include <sys/stat.h>

#include <filesystem>

namespace crivo::file {

/// Gives the open file or directory the owner, group and permissions of the one it replaces, as far
/// as the process may. Where it may not set the group, the group gets what all others have. No file
/// gets set-user-ID or set-group-ID. Access control lists and extended attributes are not kept.
/// Throws Error(io), which names `path`.
void keep_ownership(int fd, const struct stat& old, const std::filesystem::path& path);

}  // namespace crivo::file
