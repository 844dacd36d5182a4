// SPDX-License-Identifier: Apache-2.0
#include "file/directory.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "crivo/error.hpp"

namespace crivo::file {

Directory::Directory(std::filesystem::path path) : path_(std::move(path)) {
  constexpr int kFlags = O_DIRECTORY | O_CLOEXEC;
  fd_ = base::FileDescriptor(::open(path_.c_str(), O_RDONLY | kFlags));
  if (!fd_.is_open() && errno == EACCES) {
    readable_ = false;
    fd_ = base::FileDescriptor(::open(path_.c_str(), O_PATH | kFlags));
  }
  if (!fd_.is_open()) base::throw_file_error(path_.string(), "cannot write there", errno);
}

Directory::Directory(base::FileDescriptor opened, std::filesystem::path path)
    : path_(std::move(path)), fd_(std::move(opened)) {}

std::optional<struct stat> Directory::find(const std::string& name) const {
  struct stat status {};
  if (::fstatat(fd_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) return status;
  if (errno == ENOENT) return std::nullopt;
  const std::filesystem::path path = path_ == "." ? std::filesystem::path(name) : path_ / name;
  if (errno == ENAMETOOLONG) {
    throw Error(ErrorKind::usage, path.string() + ": the name is too long for the file system");
  }
  base::throw_file_error(path.string(), "cannot write", errno);
}

std::vector<std::string> Directory::names() const {
  const auto fail = [&] { base::throw_file_error(path_.string(), "cannot list", errno); };
  // A description of its own: that of fd_ has one place in the directory for all who share it.
  const int fd = ::openat(fd_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) fail();
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(fd), ::closedir);
  if (stream == nullptr) {
    const base::FileDescriptor unused(fd);
    fail();
  }
  std::vector<std::string> found;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr) break;
    const std::string name = entry->d_name;
    if (name != "." && name != "..") found.push_back(name);
  }
  if (errno != 0) fail();
  return found;
}

int Directory::sync(int file) const noexcept {
  if ((readable_ ? ::fsync(fd_.get()) : ::syncfs(file)) == 0) return 0;
  // Some file systems cannot flush a directory; those keep its order by themselves.
  return errno == EINVAL ? 0 : errno;
}

bool leads_to(const Directory& directory, const std::string& name, int fd) noexcept {
  struct stat named {};
  struct stat opened {};
  return ::fstatat(directory.get(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         ::fstat(fd, &opened) == 0 && named.st_dev == opened.st_dev &&
         named.st_ino == opened.st_ino;
}

}  // namespace crivo::file
