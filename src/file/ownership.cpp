// SPDX-License-Identifier: Apache-2.0
#include "file/ownership.hpp"

#include <unistd.h>

#include <cerrno>

#include "base/file_descriptor.hpp"

namespace crivo::file {

void keep_ownership(int fd, const struct stat& old, const std::filesystem::path& path) {
  const auto fail = [&] {
    base::throw_file_error(path.string(), "cannot keep its owner and permissions", errno);
  };
  struct stat own {};
  if (::fstat(fd, &own) != 0) fail();
  // A directory's set-group-ID and sticky bits only say how its names are given.
  mode_t mode = old.st_mode & (S_ISDIR(old.st_mode) ? 03777 : 0777);
  if (own.st_uid != old.st_uid || own.st_gid != old.st_gid) {
    const bool group_kept = ::fchown(fd, old.st_uid, old.st_gid) == 0 ||
                            ::fchown(fd, static_cast<uid_t>(-1), old.st_gid) == 0;
    if (!group_kept && errno != EPERM) fail();
    if (!group_kept && own.st_gid != old.st_gid) {
      mode = (mode & ~mode_t{070}) | (mode & 07) << 3;
    }
  }
  // A file system without permissions of its own has none that could be lost.
  if (::fchmod(fd, mode) != 0 && errno != EPERM) fail();
}

}  // namespace crivo::file
