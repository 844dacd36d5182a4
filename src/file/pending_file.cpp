// SPDX-License-Identifier: Apache-2.0
#include "file/pending_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "base/file_descriptor.hpp"
#include "crivo/error.hpp"
#include "file/names.hpp"
#include "file/output_target.hpp"

namespace crivo::file {
namespace {

/// Files are written in pieces of this length that begin at its multiples: a system whose page
/// cache has huge pages then makes one of each, and a mapping of the file is read through it, with
/// a 512th of the page faults and hardly an address to be looked up in a page table.
constexpr std::size_t kBufferBytes = std::size_t{2} << 20;

/// Outputs stay in memory up to this size: a file on a disk takes longer than a small build.
constexpr std::uint64_t kHeldBytes = std::uint64_t{1} << 20;

/// So many random names are tried. One of 64 bits is never taken by chance: if all are, the file
/// system says so of every name.
constexpr int kMaxNames = 16;

/// Whether they can be written past the page cache.
bool are_whole_pages(std::uint64_t offset, base::ByteView bytes) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
  return (offset | bytes.size() | address) % base::PageBuffer::kPage == 0;
}

}  // namespace

PendingFile::PendingFile(OutputTarget target) : target_(std::move(target)), found_(target_.look()) {
  if (target_.function()) {
    fd_ = base::FileDescriptor(::memfd_create("crivo", MFD_CLOEXEC));
    is_held_ = fd_.is_open() && base::name_in_proc(fd_);
  } else {
    remove_leftovers(target_);
  }
  if (!is_held_) create();
}

void PendingFile::create() {
  constexpr mode_t kMode = 0666;  // the umask has its say
  fd_ = base::FileDescriptor(
      ::openat(target_.parent().get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, kMode));
  // A file without a name gets one by its name in /proc.
  if (fd_.is_open() && base::name_in_proc(fd_)) {
    if (!lock_at_once(fd_.get())) fail("cannot lock");  // before it has any name
  } else if (fd_.is_open() || errno == EOPNOTSUPP || errno == EISDIR) {
    create_with_name(kMode);
  } else {
    fail("cannot write");
  }
  struct stat status {};
  if (::fstat(fd_.get(), &status) != 0) fail("cannot write");
  mode_ = status.st_mode & 0777;
  // A file that replaces another gets its permissions in the end, and is nobody else's to read till
  // then.
  if (found_ && !temporary_name_.empty()) ::fchmod(fd_.get(), 0600);
}

void PendingFile::spill() {
  const base::FileDescriptor held = std::exchange(fd_, {});
  is_held_ = false;
  create();
  base::Bytes bytes(held.size());
  if (!held.read_at(0, bytes)) fail("cannot write");
  write_at(0, bytes);
}

void PendingFile::create_with_name(mode_t mode) {
  for (int i = 0; i < kMaxNames; ++i) {
    std::string name = temporary_name(target_);
    fd_ = base::FileDescriptor(::openat(target_.parent().get(), name.c_str(),
                                        O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, mode));
    if (!fd_.is_open() && errno == EEXIST) continue;
    if (!fd_.is_open()) fail("cannot write");
    // Until it is locked another process may take it for a leftover: then once more.
    if (lock_at_once(fd_.get()) && leads_to(target_.parent(), name, fd_.get())) {
      temporary_name_ = std::move(name);
      return;
    }
    const int error = errno;
    ::unlinkat(target_.parent().get(), name.c_str(), 0);
    errno = error;
  }
  fail("cannot write");
}

PendingFile::~PendingFile() {
  if (!temporary_name_.empty()) ::unlinkat(target_.parent().get(), temporary_name_.c_str(), 0);
}

void PendingFile::bypass_cache() noexcept try {
  direct_ = base::FileDescriptor(::open(path_to_open().c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC));
} catch (const std::exception&) {  // no name leads to the file: through the cache, then
}

void PendingFile::write_at(std::uint64_t offset, base::ByteView bytes) {
  if (is_held_ && offset + bytes.size() > kHeldBytes) spill();
  while (!bytes.empty()) {
    const bool is_direct = direct_.is_open() && are_whole_pages(offset, bytes);
    const ssize_t put = ::pwrite(is_direct ? direct_.get() : fd_.get(), bytes.data(), bytes.size(),
                                 static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EINVAL && is_direct) {  // its unit is larger than a page
      direct_ = {};
      continue;
    }
    if (put < 0) fail("cannot write");
    offset += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

void PendingFile::restart() {
  while (::ftruncate(fd_.get(), 0) != 0) {
    if (errno != EINTR) fail("cannot write");
  }
}

std::filesystem::path PendingFile::path_to_open() const {
  if (!temporary_name_.empty()) return target_.parent().path() / temporary_name_;
  if (auto name = base::name_in_proc(fd_)) return *name;
  fail("cannot open once more");  // /proc went meanwhile
}

int PendingFile::why_full() const noexcept {
  static constexpr std::array<std::byte, std::size_t{1} << 16> kBytes{};
  std::size_t done = 0;
  struct stat status {};
  if (::fstat(fd_.get(), &status) != 0) return errno;
  while (done < kBytes.size()) {
    const ssize_t put = ::pwrite(fd_.get(), kBytes.data() + done, kBytes.size() - done,
                                 status.st_size + static_cast<off_t>(done));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    done += static_cast<std::size_t>(put);
  }
  return 0;
}

void PendingFile::sync() const {
  if (::fsync(fd_.get()) != 0) fail("cannot write");
}

bool PendingFile::take_free_name(const Directory& directory, const std::string& name) {
  const int parent = target_.parent().get();
  int result = 0;
  if (temporary_name_.empty()) {
    result = ::linkat(AT_FDCWD, path_to_open().c_str(), directory.get(), name.c_str(),
                      AT_SYMLINK_FOLLOW);
  } else {
    result = ::renameat2(parent, temporary_name_.c_str(), directory.get(), name.c_str(),
                         RENAME_NOREPLACE);
    if (result == 0) {
      temporary_name_.clear();
    } else if (errno == EINVAL || errno == ENOSYS) {  // not every file system has this flag
      result = ::linkat(parent, temporary_name_.c_str(), directory.get(), name.c_str(), 0);
    }
  }
  if (result != 0 && errno != EEXIST) fail("cannot name the output");
  return result == 0;
}

void PendingFile::take_temporary_name() {
  for (int i = 0; i < kMaxNames; ++i) {
    std::string name = temporary_name(target_);
    if (!take_free_name(target_.parent(), name)) continue;
    temporary_name_ = std::move(name);
    return;
  }
  fail("cannot name the output");
}

void PendingFile::replace_name(const Directory& directory, const std::string& name) {
  if (temporary_name_.empty()) take_temporary_name();
  const int parent = target_.parent().get();
  if (::renameat(parent, temporary_name_.c_str(), directory.get(), name.c_str()) != 0) {
    const int error = errno;
    ::unlinkat(parent, temporary_name_.c_str(), 0);
    temporary_name_.clear();
    errno = error;
    fail("cannot name the output");
  }
  temporary_name_.clear();
}

bool PendingFile::take_place(const OutputLock& lock) {
  if (const auto& old = lock.replaced() ? lock.replaced() : found_) {
    keep_ownership(fd_.get(), *old, output());
    sync();
  }
  target_.settle();
  const SignalPause pause;  // a program that is asked to end leaves no temporary name
  if (!lock.replaced()) return take_free_name(target_.parent(), target_.name());
  if (!lock.holds(target_)) return false;
  replace_name(target_.parent(), target_.name());
  return true;
}

Warnings PendingFile::sync_name() const {
  Warnings warnings;
  if (const int error = target_.parent().sync(fd_.get()); error != 0) {
    warn(warnings, target_.path(), "written, but its name may not survive a power loss", error);
  }
  ::flock(fd_.get(), LOCK_UN);  // what has its name is for the next one to lock
  return warnings;
}

void PendingFile::hand_over() const {
  target_.settle();
  const std::uint64_t size = fd_.size();
  base::Bytes piece(std::min<std::uint64_t>(kBufferBytes, size));
  for (std::uint64_t at = 0; at < size; at += piece.size()) {
    piece.resize(std::min<std::uint64_t>(piece.size(), size - at));
    if (!fd_.read_at(at, piece)) fail("was cut short while it was written");
    target_.function()(piece);
  }
}

Warnings PendingFile::publish() {
  if (target_.function()) {
    hand_over();
    return {};
  }
  if (!found_) sync();  // what replaces a file is synced once it has that one's owner
  while (!take_place(OutputLock(target_))) {
  }
  return sync_name();
}

Warnings PendingFile::publish(const OutputLock& lock) {
  if (!found_) sync();
  if (!take_place(lock)) {
    throw Error(
        ErrorKind::io,
        output().string() + ": another program replaced it in the meantime; its file is kept");
  }
  return sync_name();
}

void PendingFile::publish_in(const OutputLock& lock, const std::string& name) {
  sync();
  base::FileDescriptor again(::fcntl(lock.get(), F_DUPFD_CLOEXEC, 0));
  const Directory directory(std::move(again), target_.path());
  const SignalPause pause;  // as above
  if (!take_free_name(directory, name)) fail("cannot name the output");
  if (const int error = directory.sync(fd_.get()); error != 0) {
    errno = error;
    fail("cannot write");
  }
  ::flock(fd_.get(), LOCK_UN);
}

void PendingFile::fail(const char* action) const {
  base::throw_file_error(output().string(), action, errno);
}

void warn(Warnings& warnings, const std::filesystem::path& path, const char* problem,
          int error) noexcept {
  try {
    warnings.push_back({path.string() + ": " + problem + ": " + std::strerror(error)});
  } catch (const std::bad_alloc&) {
  }
}

void add_warnings(Warnings& warnings, Warnings more) noexcept {
  try {
    for (Warning& warning : more) warnings.push_back(std::move(warning));
  } catch (const std::bad_alloc&) {
  }
}

void Appender::append(base::ByteView bytes) {
  while (!bytes.empty()) {
    const std::size_t room = kBufferBytes - size() % kBufferBytes;  // to the end of the piece
    const base::ByteView part = bytes.first(std::min(bytes.size(), room));
    if (part.size() == kBufferBytes && !file_.bypasses_cache()) {
      file_.write_at(flushed_, part);
      flushed_ += part.size();
    } else {
      if (buffer_.size() == 0) buffer_ = base::PageBuffer(kBufferBytes);
      std::ranges::copy(part, buffer_.data() + buffered_);
      buffered_ += part.size();
      if (part.size() == room) flush();
    }
    bytes = bytes.subspan(part.size());
  }
}

void Appender::flush() {
  file_.write_at(flushed_, {buffer_.data(), buffered_});
  flushed_ += buffered_;
  buffered_ = 0;
}

}  // namespace crivo::file
