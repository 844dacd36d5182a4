#include "file/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "crivo/error.hpp"

namespace crivo::file {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

std::string with_errno(const std::filesystem::path& path, const char* action, int error) {
  return path.string() + ": " + action + ": " + std::strerror(error);
}

/// What a name in `path`'s directory that nothing else has begins with.
std::string hidden_name(const std::filesystem::path& path) {
  return "." + path.filename().string() + ".crivo-" + std::to_string(::getpid());
}

}  // namespace

std::filesystem::path parent_directory(const std::filesystem::path& path) {
  const std::filesystem::path parent = path.parent_path();
  return parent.empty() ? "." : parent;
}

void check_output(const std::filesystem::path& path, IfExists if_exists, bool directory) {
  if (path.filename().empty() || path.filename() == "." || path.filename() == "..") {
    throw Error(ErrorKind::usage, path.string() + ": not a name for an output");
  }
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return;
    throw Error(ErrorKind::io, with_errno(path, "cannot write", errno));
  }
  if (if_exists == IfExists::refuse) {
    throw Error(ErrorKind::usage, path.string() + ": exists; --force replaces it");
  }
  if (directory ? !S_ISDIR(status.st_mode) : !(S_ISREG(status.st_mode) || S_ISLNK(status.st_mode))) {
    throw Error(ErrorKind::usage, path.string() + (directory ? ": exists and is no directory"
                                                             : ": exists and is no regular file"));
  }
}

void sync_directory(const std::filesystem::path& directory) {
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = fd >= 0 && ::fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  // Some file systems cannot flush a directory; those keep its order by themselves.
  if (!synced && error != EINVAL) throw Error(ErrorKind::io, with_errno(directory, "cannot sync", error));
}

OutputFile::OutputFile(std::filesystem::path path, IfExists if_exists)
    : path_(std::move(path)), if_exists_(if_exists) {
  check_output(path_, if_exists_, false);
  const std::filesystem::path directory = parent_directory(path_);
  fd_ = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (fd_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {  // a file system without unnamed files
    temporary_name_ = directory / (hidden_name(path_) + ".tmp");
    fd_ = ::open(temporary_name_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
  }
  if (fd_ < 0) fail("cannot write");
  buffer_.reserve(kBufferBytes);
}

OutputFile::~OutputFile() {
  if (!temporary_name_.empty()) ::unlink(temporary_name_.c_str());
  if (fd_ >= 0) ::close(fd_);
}

void OutputFile::append(ByteView bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) flush();
  if (bytes.size() >= kBufferBytes) {
    write_at(flushed_, bytes);
    flushed_ += bytes.size();
  } else {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  }
}

void OutputFile::overwrite(std::uint64_t offset, ByteView bytes) {
  flush();
  write_at(offset, bytes);
}

void OutputFile::flush() {
  write_at(flushed_, buffer_);
  flushed_ += buffer_.size();
  buffer_.clear();
}

void OutputFile::write_at(std::uint64_t offset, ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0) {
      if (errno == EINTR) continue;
      fail("cannot write");
    }
    offset += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void OutputFile::commit() {
  flush();
  if (::fsync(fd_) != 0) fail("cannot write");
  if (temporary_name_.empty()) {
    const std::string unnamed = "/proc/self/fd/" + std::to_string(fd_);
    if (if_exists_ == IfExists::refuse) {
      // Fails, rather than replaces, if the name was taken meanwhile.
      if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) != 0) {
        check_output(path_, if_exists_, false);
        fail("cannot name the output");
      }
      sync_directory(parent_directory(path_));
      return;
    }
    // A link cannot take a name that is in use, so the file gets one to be renamed from.
    const std::filesystem::path name = parent_directory(path_) / (hidden_name(path_) + ".tmp");
    ::unlink(name.c_str());
    if (::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
      fail("cannot name the output");
    }
    temporary_name_ = name;
  } else {
    check_output(path_, if_exists_, false);
  }
  if (::rename(temporary_name_.c_str(), path_.c_str()) != 0) fail("cannot rename the output");
  temporary_name_.clear();
  sync_directory(parent_directory(path_));
}

void OutputFile::fail(const char* action) const {
  throw Error(ErrorKind::io, with_errno(path_, action, errno));
}

}  // namespace crivo::file
