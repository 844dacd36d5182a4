// SPDX-License-Identifier: Apache-2.0
#include "file/build/pending_generation.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <new>
#include <utility>

#include "crivo/error.hpp"
#include "file/names.hpp"
#include "file/output_target.hpp"
#include "file/pending_file.hpp"

namespace crivo::file {

PendingGeneration::PendingGeneration(OutputTarget target, Members members)
    : target_(std::move(target)), members_(std::move(members)) {}

PendingGeneration::~PendingGeneration() {
  if (temporary_name_.empty()) return;
  remove_directory(target_.parent(), temporary_name_, fd_.get(), target_.members());
}

void PendingGeneration::fail(const char* action) const {
  base::throw_file_error(target_.path().string(), action, errno);
}

/// Makes a new directory under a temporary name, and puts the files into it.
void PendingGeneration::create() {
  constexpr int kMostNames = 16;  // as for files
  for (int i = 0; temporary_name_.empty(); ++i) {
    std::string name = temporary_name(target_);
    const int parent = target_.parent().get();
    if (::mkdirat(parent, name.c_str(), 0777) != 0) {
      if (errno == EEXIST && i < kMostNames) continue;
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
      if (i == kMostNames) fail("cannot make a directory");
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

/// Gives the new directory the output's name; false if that is taken.
bool PendingGeneration::take_free_place() {
  if (temporary_name_.empty()) create();
  const int parent = target_.parent().get();
  const char* from = temporary_name_.c_str();
  const char* to = target_.name().c_str();
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

void PendingGeneration::keep_ownerships(const Directory& old) const {
  const std::vector<std::string> names = old.names();
  for (const auto& [name, file] : members_) {
    const std::string family = family_of(name);
    const auto before = std::ranges::find(names, family, family_of);
    const auto status = before == names.end() ? std::nullopt : old.find(*before);
    if (!status) continue;
    keep_ownership(file->fd_.get(), *status, target_.path() / name);
    file->sync();
  }
}

bool PendingGeneration::is_new(const std::string& name) const noexcept {
  return std::ranges::any_of(members_, [&](const auto& member) { return member.first == name; });
}

/// Removes the files of other generations, which nobody will open any more: who has them open goes
/// on with them.
void PendingGeneration::remove_others(const Directory& directory, Warnings& warnings) const {
  try {
    for (const std::string& name : directory.names()) {
      if (is_new(name) || !is_member(name, target_.members())) continue;
      if (::unlinkat(directory.get(), name.c_str(), 0) != 0 && errno != ENOENT) {
        warn(warnings, target_.path() / name, "a file of the old output could not be removed",
             errno);
      }
    }
  } catch (const Error& error) {
    add_warnings(warnings, {{error.what()}});
  } catch (const std::bad_alloc&) {  // as warn() has it
  }
}

/// Removes what a killed process left of the generation that comes, which would count as part of
/// it. Where it is the one that is there, that becomes what replaces it by this.
void PendingGeneration::remove_namesakes(const Directory& directory) const {
  const std::string_view generation = generation_of(members_.front().first);
  if (generation.empty()) return;
  for (const std::string& name : directory.names()) {
    if (generation_of(name) != generation || is_new(name) || !is_member(name, target_.members())) {
      continue;
    }
    if (::unlinkat(directory.get(), name.c_str(), 0) != 0 && errno != ENOENT) {
      fail("cannot remove a file of another generation");
    }
  }
}

/// Puts the files into the directory that is locked; false if that is there no more.
bool PendingGeneration::replace(const OutputLock& lock, Warnings& warnings) {
  base::FileDescriptor again(::fcntl(lock.get(), F_DUPFD_CLOEXEC, 0));
  const Directory old(std::move(again), target_.path());
  keep_ownerships(old);
  if (!lock.holds(target_)) return false;
  const auto sync = [&] {
    if (const int error = old.sync(lock.get()); error != 0) {
      errno = error;
      fail("cannot write");
    }
  };
  std::vector<std::string> added;
  try {
    for (const auto& [name, file] : members_) {
      const bool is_pointer = &name == &members_.back().first;
      if (is_pointer) {
        remove_namesakes(old);
        sync();  // what it leads to is there before it
      }
      // One of this name is of an equal generation, or was left by a killed process.
      if (!old.find(name)) added.push_back(name);
      file->replace_name(old, name);
    }
  } catch (...) {
    for (const std::string& name : added) ::unlinkat(old.get(), name.c_str(), 0);
    throw;
  }
  if (const int error = old.sync(lock.get()); error != 0) {
    warn(warnings, target_.path(), "written, but its name may not survive a power loss", error);
    return true;  // the old one is kept: it is what may be there then
  }
  remove_others(old, warnings);
  return true;
}

Warnings PendingGeneration::publish() {
  for (const auto& [name, file] : members_) file->sync();
  Warnings warnings;
  while (true) {
    const OutputLock lock(target_);
    target_.settle();
    const SignalPause pause;  // a program that is asked to end leaves no temporary name
    if (lock.replaced()) {
      if (replace(lock, warnings)) break;
    } else if (take_free_place()) {
      if (const int error = target_.parent().sync(fd_.get()); error != 0) {
        warn(warnings, target_.path(), "written, but its name may not survive a power loss", error);
      }
      break;
    }
  }
  let_go();
  return warnings;
}

Warnings PendingGeneration::publish_in(const OutputLock& lock) {
  for (const auto& [name, file] : members_) file->sync();
  Warnings warnings;
  target_.settle();
  const SignalPause pause;
  if (!replace(lock, warnings)) {
    throw Error(ErrorKind::io,
                target_.path().string() + ": another directory replaced it meanwhile; try again");
  }
  let_go();
  return warnings;
}

void PendingGeneration::let_go() const noexcept {
  for (const auto& [name, file] : members_) ::flock(file->fd_.get(), LOCK_UN);
  if (fd_.is_open()) ::flock(fd_.get(), LOCK_UN);
}

}  // namespace crivo::file
