// SPDX-License-Identifier: Apache-2.0
#include "file/build/remove_tree.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace crivo::file {

void remove_tree(const Directory& parent, const std::string& name) {
  const auto fail = [&] {
    base::throw_file_error((parent.path() / name).string(), "cannot be removed", errno);
  };
  if (::unlinkat(parent.get(), name.c_str(), 0) == 0 || errno == ENOENT) return;
  if (errno != EISDIR && errno != EPERM) fail();
  base::FileDescriptor opened(
      ::openat(parent.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened.is_open()) fail();
  const Directory directory(std::move(opened), parent.path() / name);
  for (const std::string& inner : directory.names()) remove_tree(directory, inner);
  if (::unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR) != 0) fail();
}

}  // namespace crivo::file
