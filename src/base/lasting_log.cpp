// SPDX-License-Identifier: Apache-2.0
#include "base/lasting_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "crivo/error.hpp"

namespace crivo::base {

FileDescriptor open_lasting_log(const std::filesystem::path& path) {
  FileDescriptor log(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  if (!log.is_open()) throw_system_error(path.string() + ": cannot open", errno);
  return log;
}

void cut_lasting_log(const FileDescriptor& log, const std::filesystem::path& path,
                     std::uint64_t bytes) {
  if (log.size() < bytes) {
    throw Error(ErrorKind::corrupt, path.string() + ": was cut short");
  }
  if (::ftruncate(log.get(), static_cast<off_t>(bytes)) != 0) {
    throw_system_error(path.string() + ": cannot cut off its end", errno);
  }
}

void sync_lasting_log(const FileDescriptor& log, const std::filesystem::path& path) {
  if (::fdatasync(log.get()) != 0) {
    throw_system_error(path.string() + ": cannot make it durable", errno);
  }
}

void sync_lasting_names(const FileDescriptor& directory, const std::filesystem::path& path) {
  // Some file systems cannot flush a directory; those keep its order by themselves.
  if (::fsync(directory.get()) != 0 && errno != EINVAL) {
    throw_system_error(path.string() + ": cannot make its names durable", errno);
  }
}

void fail_damaged_log(const std::filesystem::path& path) {
  throw Error(ErrorKind::corrupt,
              path.string() + ": is damaged; remove its directory and build again");
}

}  // namespace crivo::base
