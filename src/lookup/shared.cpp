// SPDX-License-Identifier: Apache-2.0
#include "crivo/shared.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file_descriptor.hpp"

namespace crivo::detail {

FollowedFile::FollowedFile(const std::filesystem::path& path)
    : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (descriptor_ < 0) base::throw_file_error(path.string(), "cannot open", errno);
}

FollowedFile::~FollowedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FollowedFile::FollowedFile(FollowedFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

FollowedFile& FollowedFile::operator=(FollowedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

bool FollowedFile::is_replaced() const noexcept {
  struct stat named {};
  struct stat opened {};
  if (::stat(path_.c_str(), &named) != 0 || ::fstat(descriptor_, &opened) != 0) return false;
  return named.st_dev != opened.st_dev || named.st_ino != opened.st_ino;
}

}  // namespace crivo::detail
