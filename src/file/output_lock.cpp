// SPDX-License-Identifier: Apache-2.0
#include "file/output_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "file/names.hpp"
namespace crivo::file {

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
