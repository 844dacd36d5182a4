// SPDX-License-Identifier: Apache-2.0
#include "file/build/new_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

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

}  // namespace crivo::file
