/// A file that one process at a time may replace.
#pragma once

#include <filesystem>

#include "util/file_descriptor.hpp"

namespace crivo::file {

/// Holds the lock of the file that `path` names while it lives, among all who replace the file
/// under this lock; readers need none.
class FileLock {
 public:
  /// Waits for the lock. A file that another process has put in the place of the one it waited for
  /// is waited for in turn. Throws Error(io).
  explicit FileLock(const std::filesystem::path& path);

 private:
  util::FileDescriptor file_;
};

}  // namespace crivo::file
