// SPDX-License-Identifier: Apache-2.0
#include "base/temp_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "crivo/error.hpp"

namespace crivo::base {
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

/// A new file which no name leads to. (Where the file system has no unnamed files, a kill in one
/// moment leaves an empty file, which the next call for the directory removes.)
FileDescriptor open_unnamed(const std::filesystem::path& directory) {
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

FileDescriptor open_named(const std::filesystem::path& path) {
  FileDescriptor file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  if (!file.is_open()) throw_system_error(path.string() + ": cannot open", errno);
  return file;
}

}  // namespace

TempFile::TempFile(std::filesystem::path directory, std::filesystem::path name, Caching caching)
    : directory_(std::move(directory)), name_(std::move(name)), caching_(caching) {}

void TempFile::open() {
  opened_.call([this] {
    file_ = has_name() ? open_named(name_) : open_unnamed(directory_);
    if (caching_ == Caching::usual) return;
    // tmpfs and some others refuse; then the page cache it is.
    const int flags = ::fcntl(file_.get(), F_GETFL);
    if (flags >= 0) (void)::fcntl(file_.get(), F_SETFL, flags | O_DIRECT);
  });
}

std::uint64_t TempFile::take(std::uint64_t bytes) {
  open();
  return end_.fetch_add(bytes, std::memory_order_relaxed);
}

std::uint64_t TempFile::append(ByteView bytes) {
  const std::uint64_t offset = take(bytes.size());
  write_at(offset, bytes);
  return offset;
}

void TempFile::read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (file_.read_at(offset, bytes)) return;
  if (has_name()) fail_damaged();
  throw_system_error("a temporary file was cut short", EIO);
}

void TempFile::sync() const {
  if (file_.is_open() && ::fdatasync(file_.get()) != 0)
    throw_system_error(name_.string() + ": cannot make it durable", errno);
}

void TempFile::go_on_from(std::uint64_t bytes) {
  open();
  if (file_.size() < bytes) throw Error(ErrorKind::corrupt, name_.string() + ": was cut short");
  if (::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0)
    throw_system_error(name_.string() + ": cannot cut off its end", errno);
  end_ = bytes;
}

void TempFile::fail_damaged() const {
  throw Error(ErrorKind::corrupt, (has_name() ? name_ : directory_).string() +
                                      ": is damaged; remove its directory and build again");
}

}  // namespace crivo::base
