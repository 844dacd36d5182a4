#include "file/file_lock.hpp"

#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

namespace crivo::file {

FileLock::FileLock(const std::filesystem::path& path) {
  while (true) {
    file_ = util::FileDescriptor::open_to_read(path);
    int result = 0;
    do {
      result = ::flock(file_.get(), LOCK_EX);
    } while (result != 0 && errno == EINTR);
    if (result != 0) util::throw_system_error(path.string() + ": cannot lock", errno);
    struct stat locked {};
    struct stat named {};
    if (::fstat(file_.get(), &locked) != 0 || ::stat(path.c_str(), &named) != 0) {
      util::throw_system_error(path.string() + ": cannot lock", errno);
    }
    if (locked.st_dev == named.st_dev && locked.st_ino == named.st_ino) return;
  }
}

}  // namespace crivo::file
