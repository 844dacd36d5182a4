// SPDX-License-Identifier: Apache-2.0
#include "file/build/new_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file_descriptor.hpp"
#include "file/directory.hpp"

namespace crivo::file {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

}  // namespace

NewFile::NewFile(std::filesystem::path path)
    : path_(std::move(path)),
      fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666)) {
  if (!fd_.is_open()) base::throw_file_error(path_.string(), "cannot make it", errno);
}

void NewFile::append(base::ByteView bytes) {
  hash_.add(bytes);
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd_.get(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) base::throw_file_error(path_.string(), "cannot write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    bytes_ += static_cast<std::uint64_t>(put);
  }
}

void NewFile::finish() {
  if (::fsync(fd_.get()) != 0) base::throw_file_error(path_.string(), "cannot write", errno);
}

void read_file(const std::filesystem::path& path,
               const std::function<void(std::span<const std::byte>)>& take) {
  const auto file = base::FileDescriptor::open_to_read(path);
  std::vector<std::byte> piece(kPieceBytes);
  while (true) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) base::throw_file_error(path.string(), "cannot read", errno);
    if (got == 0) return;
    take(std::span(piece).first(static_cast<std::size_t>(got)));
  }
}

bool make_directory(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> unsafe;  // names that may be lost, the lowest first
  std::error_code error;
  std::filesystem::path next = std::filesystem::absolute(path).lexically_normal();
  if (!next.has_filename()) next = next.parent_path();
  do {
    unsafe.push_back(next);
    next = next.parent_path();
  } while (!std::filesystem::exists(next, error) && next != next.parent_path());
  const bool made = std::filesystem::create_directories(unsafe.front(), error);
  if (error) base::throw_file_error(path.string(), "cannot make the directory", error.value());
  for (const std::filesystem::path& name : unsafe) {
    const Directory directory(name);
    if (const int failed = Directory(name.parent_path()).sync(directory.get()); failed != 0)
      base::throw_file_error(name.string(), "cannot make its name durable", failed);
  }
  return made;
}

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
