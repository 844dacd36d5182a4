#include "util/temp_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "crivo/error.hpp"

namespace crivo::util {
namespace {

[[noreturn]] void fail(const std::filesystem::path& directory, const char* action) {
  const int error = errno;
  throw Error(ErrorKind::io, directory.string() + ": cannot " + action +
                                 " a temporary file: " + std::strerror(error) +
                                 "; name another place with --temp-dir");
}

}  // namespace

std::filesystem::path default_temp_dir() {
  const char* named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

TempFile::TempFile(const std::filesystem::path& directory) : directory_(directory) {
  fd_ = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {  // a file system without unnamed files
    std::string name = (directory / "crivo-XXXXXX").string();
    fd_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd_ >= 0) ::unlink(name.c_str());
  }
  if (fd_ < 0) fail(directory_, "make");
}

TempFile::~TempFile() { ::close(fd_); }

void TempFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail(directory_, "write");
    offset += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void TempFile::read_at(std::uint64_t offset, std::span<std::byte> room) const {
  while (!room.empty()) {
    const ssize_t got = ::pread(fd_, room.data(), room.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = EIO;
    if (got <= 0) fail(directory_, "read");
    offset += static_cast<std::uint64_t>(got);
    room = room.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace crivo::util
