// SPDX-License-Identifier: Apache-2.0
#include "file/output_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace crivo::file {

namespace {

int wait_for_lock(int fd) {
  int result = 0;
  do {
    result = ::flock(fd, LOCK_EX);
  } while (result != 0 && errno == EINTR);
  return result;
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
    int result = wait_for_lock(fd_.get());
    if (result != 0 && errno == EBADF) {  // NFS locks only what is open for writing
      fd_ = target.open(O_RDWR);
      result = wait_for_lock(fd_.get());
    }
    if (result != 0) {
      base::throw_file_error(target.path().string(), "cannot lock", errno);
    }
    if (!leads_to(target.parent(), target.name(), fd_.get())) continue;
    replaced_ = target.look();
    if (replaced_) return;
  }
}

bool OutputLock::holds(const OutputTarget& target) const noexcept {
  return leads_to(target.parent(), target.name(), fd_.get());
}

}  // namespace crivo::file
