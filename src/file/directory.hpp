// SPDX-License-Identifier: Apache-2.0
/// A directory in which outputs get their names.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file_descriptor.hpp"

namespace crivo::file {

/// An open directory: whatever is renamed above it meanwhile, names are looked up and given here.
class Directory {
 public:
  /// Opens `path`, also one that may be written and not read (mode 0300). Throws Error(io).
  explicit Directory(std::filesystem::path path);
  /// Takes over one that is open for reading; `path` is what messages call it.
  Directory(base::FileDescriptor opened, std::filesystem::path path);

  int get() const noexcept { return fd_.get(); }
  const std::filesystem::path& path() const noexcept { return path_; }

  /// Returns the status of `name` in it, symbolic links not followed: nothing if there is no such
  /// name. Throws Error(io), or Error(usage) for a name that is too long for the file system.
  std::optional<struct stat> find(const std::string& name) const;
  /// The names in it, hidden ones too. Throws Error(io), also if it may not be read. O(names).
  std::vector<std::string> names() const;
  /// Makes the names in it durable; returns 0, or the error's number. `file` is any file that is
  /// open on its file system: a directory that may not be read is flushed with all the rest of it.
  int sync(int file) const noexcept;

 private:
  std::filesystem::path path_;
  base::FileDescriptor fd_;
  bool readable_ = true;
};

/// Whether `name` in `directory` leads to the open file `fd`.
bool leads_to(const Directory& directory, const std::string& name, int fd) noexcept;

}  // namespace crivo::file
