// SPDX-License-Identifier: Apache-2.0
#include "base/file_descriptor.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "crivo/error.hpp"

namespace crivo::base {
namespace {

/// The path of an open file, where the system tells it; empty for one that no name leads to.
std::string name_of(int fd) {
  std::error_code error;
  const std::string name =
      std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error).string();
  return error || name.ends_with(" (deleted)") ? "" : name;
}

}  // namespace

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

void FileDescriptor::expect(Access access) const noexcept {
  const int advice = access == Access::at_random ? POSIX_FADV_RANDOM : POSIX_FADV_NORMAL;
  (void)::posix_fadvise(fd_, 0, 0, advice);
}

void FileDescriptor::write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0) {
      const int error = errno;
      if (error == EINTR) continue;
      if (const std::string name = name_of(fd_); !name.empty())
        throw_file_error(name, "cannot write", error);
      throw Error(ErrorKind::io,
                  "cannot write a temporary file: " + std::generic_category().message(error),
                  {.system_error = error, .remedy = "temp_dir"});
    }
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
}

}  // namespace crivo::base
