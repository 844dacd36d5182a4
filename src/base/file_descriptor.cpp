// SPDX-License-Identifier: Apache-2.0
#include "base/file_descriptor.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

#include "crivo/error.hpp"

namespace crivo::base {

void throw_system_error(std::string_view what, int error) {
  throw Error(ErrorKind::io, std::string(what) + ": " + std::generic_category().message(error),
              {.system_error = error});
}

void throw_file_error(const std::string& file, std::string_view what, int error) {
  throw Error(ErrorKind::io,
              file + ": " + std::string(what) + ": " + std::generic_category().message(error),
              {.file = file, .system_error = error});
}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

FileDescriptor FileDescriptor::open_to_read(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a FIFO that stands in the file's place must not wait for a writer.
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) throw_file_error(path.string(), "cannot open", errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw_file_error(path.string(), "cannot open", errno);
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorKind::io, path.string() + ": cannot open: not a regular file",
                {.file = path.string()});
  }
  return file;
}

FileDescriptor FileDescriptor::open_in(const FileDescriptor& directory,
                                       const std::filesystem::path& path) {
  FileDescriptor file(
      ::openat(directory.get(), path.filename().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) throw_file_error(path.string(), "cannot open", errno);
  return file;
}

namespace {

constexpr std::string_view kTemporaryPrefix = ".crivo-temporary-";

/// Removes the names that processes killed in the moment between making and removing one left. Who
/// is in that moment now loses nothing but the name, which is of no use to them.
void remove_temporary_names(const std::filesystem::path& directory) {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(directory.c_str()), ::closedir);
  if (stream == nullptr) return;
  while (const dirent* entry = ::readdir(stream.get())) {
    struct stat status {};
    if (std::string_view(entry->d_name).starts_with(kTemporaryPrefix) &&
        ::fstatat(::dirfd(stream.get()), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode) && status.st_size == 0) {
      ::unlinkat(::dirfd(stream.get()), entry->d_name, 0);
    }
  }
}

}  // namespace

FileDescriptor FileDescriptor::unnamed_in(const std::filesystem::path& directory) {
  FileDescriptor file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.is_open()) return file;
  // Not every file system has O_TMPFILE: make a name, then remove it.
  remove_temporary_names(directory);
  std::string name = (directory / kTemporaryPrefix).string() + "XXXXXX";
  file = FileDescriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (!file.is_open() || (::unlink(name.c_str()) != 0 && errno != ENOENT)) {
    throw_system_error("cannot create a temporary file in " + directory.string(), errno);
  }
  return file;
}

std::uint64_t FileDescriptor::size() const {
  struct stat status {};
  if (::fstat(fd_, &status) != 0) throw_system_error("cannot read a file's size", errno);
  return static_cast<std::uint64_t>(status.st_size);
}

bool FileDescriptor::read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0) {
      if (errno == EINTR) continue;
      throw_system_error("cannot read a file", errno);
    }
    if (got == 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return true;
}

void FileDescriptor::write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0) {
      const int error = errno;
      if (error == EINTR) continue;
      throw Error(ErrorKind::io,
                  "cannot write a temporary file: " + std::generic_category().message(error),
                  {.system_error = error, .remedy = "temp_dir"});
    }
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
}

}  // namespace crivo::base
