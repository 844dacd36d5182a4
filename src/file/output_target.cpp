// SPDX-License-Identifier: Apache-2.0
#include "file/output_target.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include "base/file_descriptor.hpp"
#include "crivo/error.hpp"
#include "file/names.hpp"

namespace crivo::file {
namespace {

/// Whether one of `paths` leads to the file. One that leads nowhere is passed over: who reads it
/// will say so.
bool leads_there(const std::vector<std::string>& paths, const struct stat& file) {
  return std::ranges::any_of(paths, [&](const std::string& path) {
    struct stat status {};
    const int result = path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status);
    return result == 0 && status.st_dev == file.st_dev && status.st_ino == file.st_ino;
  });
}

/// Whether another file system, or a file of another place, is mounted there: as containers have
/// it.
bool is_mount_point(const Directory& directory, const std::string& name) {
  struct statx status {};
  return ::statx(directory.get(), name.c_str(), AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, 0,
                 &status) == 0 &&
         (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

}  // namespace

OutputTarget OutputTarget::file(const std::filesystem::path& path, IfExists if_exists) {
  return {path, Shape::file, if_exists, {}};
}

OutputTarget OutputTarget::directory(const std::filesystem::path& path, IfExists if_exists,
                                     std::vector<std::string> members) {
  return {path, Shape::directory, if_exists, std::move(members)};
}

OutputTarget OutputTarget::function(WriteBytes write, std::string name,
                                    const std::filesystem::path& temp_dir) {
  return {std::move(write), std::move(name), temp_dir};
}

OutputTarget::OutputTarget(WriteBytes write, std::string name,
                           const std::filesystem::path& temp_dir)
    : path_(std::move(name)),
      place_(path_),
      shape_(Shape::file),
      if_exists_(IfExists::refuse),
      write_(std::move(write)),
      parent_(std::make_shared<const Directory>(temp_dir)),
      name_(path_.string()) {}

OutputTarget::OutputTarget(std::filesystem::path path, Shape shape, IfExists if_exists,
                           std::vector<std::string> members)
    : path_(std::move(path)), shape_(shape), if_exists_(if_exists), members_(std::move(members)) {
  place_ = find_place();
  const std::filesystem::path parent = place_.parent_path();
  name_ = place_.filename().string();
  parent_ = std::make_shared<const Directory>(parent.empty() ? "." : parent);
  if (!look()) return;
  if (is_mount_point(*parent_, name_)) refuse("is a mount point, which cannot be replaced");
  (void)open();
}

void OutputTarget::refuse(const std::string& why, const char* remedy) const {
  throw Error(ErrorKind::usage, path_.string() + ": " + why,
              {.file = path_.string(), .remedy = remedy});
}

/// The path, or what it leads to if it is a symbolic link.
std::filesystem::path OutputTarget::find_place() const {
  const std::string name = path_.filename().string();
  if (name.empty() || name == "." || name == "..") refuse("is not a name for an output");
  struct stat status {};
  if (::lstat(path_.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return path_;
  if (if_exists_ == IfExists::refuse) refuse("already exists", "replace");
  if (::stat(path_.c_str(), &status) == 0) {
    check_shape(status.st_mode);
    const std::unique_ptr<char, void (*)(void*)> real(::realpath(path_.c_str(), nullptr),
                                                      std::free);
    if (real != nullptr) return real.get();
  }
  if (errno == ENOENT) refuse("is a broken symbolic link; remove it");
  if (errno == ELOOP) refuse("is a symbolic link to itself; remove it");
  base::throw_file_error(path_.string(), "cannot follow the symbolic link", errno);
}

void OutputTarget::check_shape(mode_t mode) const {
  if (shape_ == Shape::file && S_ISDIR(mode)) refuse("is a directory, not a file");
  if (shape_ == Shape::file && !S_ISREG(mode))
    refuse("is a pipe or a device; an output has to be a regular file");
  if (shape_ == Shape::directory && !S_ISDIR(mode)) refuse("is a file, not a directory");
}

bool OutputTarget::is_among(const std::vector<std::string>& paths) const {
  if (write_) return false;
  const auto there = parent_->find(name_);
  return there && leads_there(paths, *there);
}

void OutputTarget::refuse_inputs(const std::vector<std::string>& inputs) const {
  if (is_among(inputs)) refuse("is also an input, which would be lost; use another output");
  if (shape_ != Shape::directory) return;
  base::FileDescriptor opened = open();
  if (!opened.is_open()) return;
  const Directory old(std::move(opened), path_);
  for (const std::string& name : old.names()) {
    const auto status = old.find(name);
    if (status && leads_there(inputs, *status)) {
      refuse("holds " + name + ", an input, which would be lost; use another output");
    }
  }
}

void OutputTarget::check_members() const {
  base::FileDescriptor opened = open();
  if (!opened.is_open()) return;  // it was taken away after the look
  const Directory old(std::move(opened), path_);
  for (const std::string& name : old.names()) {
    const auto status = old.find(name);
    if (!status) continue;
    if (!is_member(name, members_) || !S_ISREG(status->st_mode)) {
      refuse("not replaced, since it holds " + name + ", which is not from Crivo");
    }
  }
}

std::optional<struct stat> OutputTarget::look() const {
  if (write_) return std::nullopt;
  const auto status = parent_->find(name_);
  if (!status) return status;
  check_shape(status->st_mode);
  if (if_exists_ == IfExists::refuse) refuse("already exists", "replace");
  if (shape_ == Shape::directory) check_members();
  return status;
}

base::FileDescriptor OutputTarget::open(int access) const {
  constexpr int kFlags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const auto open_to = [&](int how) {
    return base::FileDescriptor(::openat(parent_->get(), name_.c_str(), how | kFlags));
  };
  base::FileDescriptor opened = open_to(access);
  if (!opened.is_open() && errno == EACCES && shape_ == Shape::file) opened = open_to(O_WRONLY);
  if (!opened.is_open() && errno != ENOENT) {
    base::throw_file_error(path_.string(), "cannot be replaced", errno);
  }
  return opened;
}

void keep_ownership(int fd, const struct stat& old, const std::filesystem::path& path) {
  const auto fail = [&] {
    base::throw_file_error(path.string(), "cannot keep its owner and permissions", errno);
  };
  struct stat own {};
  if (::fstat(fd, &own) != 0) fail();
  // A directory's set-group-ID and sticky bits only say how its names are given.
  mode_t mode = old.st_mode & (S_ISDIR(old.st_mode) ? 03777 : 0777);
  if (own.st_uid != old.st_uid || own.st_gid != old.st_gid) {
    const bool group_kept = ::fchown(fd, old.st_uid, old.st_gid) == 0 ||
                            ::fchown(fd, static_cast<uid_t>(-1), old.st_gid) == 0;
    if (!group_kept && errno != EPERM) fail();
    if (!group_kept && own.st_gid != old.st_gid) {
      mode = (mode & ~mode_t{070}) | (mode & 07) << 3;
    }
  }
  // A file system without permissions of its own has none that could be lost.
  if (::fchmod(fd, mode) != 0 && errno != EPERM) fail();
}

namespace {

constexpr std::chrono::milliseconds kWait{10};

/// Waits for flock(). With a progress, which is told of it, the wait ends where that is cancelled.
int wait_for_lock(int fd, Progress* progress) {
  const int once = progress != nullptr ? LOCK_EX | LOCK_NB : LOCK_EX;
  for (bool is_told = false; ::flock(fd, once) != 0;) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return -1;
    if (!is_told) progress->begin("wait for the lock", 0);
    is_told = true;
    progress->add(0);
    std::this_thread::sleep_for(kWait);
  }
  return 0;
}

}  // namespace

OutputLock::OutputLock(const OutputTarget& target) {
  while (true) {
    if (!target.look()) {
      fd_ = {};
      return;
    }
    fd_ = target.open();
    if (!fd_.is_open()) continue;  // it was taken away after the look
    int result = wait_for_lock(fd_.get(), target.progress());
    if (result != 0 && errno == EBADF) {  // NFS locks only what is open for writing
      fd_ = target.open(O_RDWR);
      result = wait_for_lock(fd_.get(), target.progress());
    }
    if (result != 0) {
      base::throw_file_error(target.path().string(), "cannot lock", errno);
    }
    if (!leads_to(target.parent(), target.name(), fd_.get())) continue;
    replaced_ = target.look();
    if (replaced_) return;
  }
}

NameLock::NameLock(const OutputTarget& target) : target_(target), name_(lock_name(target)) {
  const int parent = target.parent().get();
  do {
    fd_ = base::FileDescriptor(::openat(
        parent, name_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!fd_.is_open() || wait_for_lock(fd_.get(), target.progress()) != 0)
      base::throw_file_error(target.path().string(), "cannot lock its name", errno);
  } while (!leads_to(target.parent(), name_, fd_.get()));
}

NameLock::~NameLock() {
  ::unlinkat(target_.parent().get(), name_.c_str(), 0);
}

bool OutputLock::holds(const OutputTarget& target) const noexcept {
  return leads_to(target.parent(), target.name(), fd_.get());
}

}  // namespace crivo::file
