#include "file/pending_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <new>
#include <utility>

#include "file/leftovers.hpp"
#include "file/ownership.hpp"
#include "file/signal_pause.hpp"

namespace crivo::file {

PendingDirectory::PendingDirectory(OutputTarget target, Members members)
    : target_(std::move(target)), members_(std::move(members)) {}

PendingDirectory::~PendingDirectory() {
  if (temporary_name_.empty()) return;
  remove_directory(target_.parent(), temporary_name_, fd_.get(), target_.members());
}

void PendingDirectory::fail(const char* action) const {
  base::throw_system_error(target_.path().string() + ": " + action, errno);
}

/// Makes the new directory under a temporary name, and puts the files into it.
void PendingDirectory::create(bool replaces) {
  constexpr int kMaxNames = 16;  // as for files
  for (int i = 0; temporary_name_.empty(); ++i) {
    std::string name = temporary_name(target_);
    const int parent = target_.parent().get();
    if (::mkdirat(parent, name.c_str(), replaces ? 0700 : 0777) != 0) {
      if (errno == EEXIST && i < kMaxNames) continue;
      fail("cannot make a directory");
    }
    fd_ = base::FileDescriptor(
        ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (fd_.is_open() && lock_at_once(fd_.get()) && leads_to(target_.parent(), name, fd_.get())) {
      temporary_name_ = std::move(name);
    } else {  // until it is locked another process may take it for a leftover: then once more
      const int error = errno;
      ::unlinkat(parent, name.c_str(), AT_REMOVEDIR);
      errno = error;
      if (i == kMaxNames) fail("cannot make a directory");
    }
  }
  base::FileDescriptor again(::fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
  const Directory made(std::move(again), target_.parent().path() / temporary_name_);
  for (const auto& [name, file] : members_) {
    if (!file->take_free_name(made, name)) fail("cannot name the output");
  }
  if (const int error = made.sync(fd_.get()); error != 0) {
    errno = error;
    fail("cannot write");
  }
}

void PendingDirectory::keep_ownerships(const struct stat& old, int old_directory) const {
  for (const auto& [name, file] : members_) {
    struct stat member {};
    if (::fstatat(old_directory, name.c_str(), &member, AT_SYMLINK_NOFOLLOW) == 0) {
      keep_ownership(file->fd_.get(), member, target_.path() / name);
    } else if (::fchmod(file->fd_.get(), file->mode_) != 0 && errno != EPERM) {
      fail("cannot set permissions");
    }
    file->sync();
  }
  keep_ownership(fd_.get(), old, target_.path());
  if (::fsync(fd_.get()) != 0 && errno != EINVAL) fail("cannot write");
}

/// What was exchanged for the new directory has the temporary name now.
void PendingDirectory::remove_old(const OutputLock& lock, Warnings& warnings) {
  const int error =
      remove_directory(target_.parent(), temporary_name_, lock.get(), target_.members());
  if (error != 0) {
    try {
      warn(warnings, target_.parent().path() / temporary_name_,
           "the old output, which could not be removed", error);
    } catch (const std::bad_alloc&) {  // as warn() has it
    }
  }
  temporary_name_.clear();
}

bool PendingDirectory::take_place(const OutputLock& lock, Warnings& warnings) {
  const SignalPause pause;  // a program that is asked to end leaves no temporary name
  if (temporary_name_.empty()) create(lock.replaced().has_value());
  const int parent = target_.parent().get();
  const char* from = temporary_name_.c_str();
  const char* to = target_.name().c_str();
  if (const auto& old = lock.replaced()) {
    keep_ownerships(*old, lock.get());
    if (!lock.holds(target_)) return false;
    if (::renameat2(parent, from, parent, to, RENAME_EXCHANGE) != 0) fail("cannot name the output");
    remove_old(lock, warnings);
    return true;
  }
  int result = ::renameat2(parent, from, parent, to, RENAME_NOREPLACE);
  // Without the flag, which not every file system has, an empty directory may be replaced.
  if (result != 0 && (errno == EINVAL || errno == ENOSYS)) {
    result = ::renameat(parent, from, parent, to);
  }
  if (result != 0 && errno == EEXIST) return false;
  if (result != 0) fail("cannot name the output");
  temporary_name_.clear();
  return true;
}

Warnings PendingDirectory::publish() {
  for (const auto& [name, file] : members_) file->sync();
  Warnings warnings;
  while (!take_place(OutputLock(target_), warnings)) {
  }
  if (const int error = target_.parent().sync(fd_.get()); error != 0) {
    warn(warnings, target_.path(), "written, but its name may not outlast a loss of power", error);
  }
  for (const auto& [name, file] : members_) ::flock(file->fd_.get(), LOCK_UN);
  ::flock(fd_.get(), LOCK_UN);
  return warnings;
}

}  // namespace crivo::file
