// SPDX-License-Identifier: Apache-2.0
/// System calls of the library that fail where a fuzzer wants them to, or before which another
/// process changes something. The linker puts them in their place (--wrap, CMakeLists.txt). For one
/// file of a program.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <utility>

namespace crivo::fuzz {

enum class Call : std::uint8_t {
  access,
  fchmod,
  fchown,
  fcntl,
  fdopendir,
  flock,
  fstat,
  fstatat,
  fsync,
  ftruncate,
  getrandom,
  linkat,
  mkdirat,
  mlock,
  mmap,
  open,
  openat,
  pread,
  pwrite,
  readdir,
  renameat,
  renameat2,
  syncfs,
  unlinkat,
  count
};

/// What goes wrong while one input is used.
class Faults {
 public:
  static constexpr std::size_t kFaults = 4;
  static constexpr std::size_t kFaultBytes = 3;
  static constexpr unsigned kActions = 3;  ///< what other processes can do

  static Faults& now() {
    static Faults faults;
    return faults;
  }

  /// Begins with faults of kFaultBytes each; act(i) is what another process does.
  void begin(std::span<const std::uint8_t, kFaults * kFaultBytes> bytes,
             std::function<void(unsigned)> act) {
    for (std::size_t i = 0; i < kFaults; ++i) faults_[i] = Fault(&bytes[i * kFaultBytes]);
    seen_ = {};
    act_ = std::move(act);
    armed_ = true;
  }
  void end() noexcept { armed_ = false; }

  /// How many calls went wrong.
  unsigned happened() const noexcept {
    unsigned all = 0;
    for (const Fault& fault : faults_) all += fault.happened;
    return all;
  }
  bool happened(Call call) const noexcept {
    return std::ranges::any_of(
        faults_, [&](const Fault& fault) { return fault.call == call && fault.happened != 0; });
  }
  bool others_acted() const noexcept {
    return std::ranges::any_of(faults_, [](const Fault& fault) {
      return fault.answer == Answer::after_others && fault.happened != 0;
    });
  }

  /// Whether a call fails, with errno; of a read or write also, whether it is cut short.
  bool fails(Call call, bool* is_short = nullptr) {
    if (!armed_) return false;
    const unsigned number = seen_[static_cast<std::size_t>(call)]++;
    for (Fault& fault : faults_) {
      if (fault.call != call || number < fault.first || number - fault.first >= fault.calls)
        continue;
      ++fault.happened;
      if (fault.answer == Answer::error) errno = fault.detail;
      if (fault.answer == Answer::is_short && is_short != nullptr) *is_short = true;
      if (fault.answer == Answer::after_others) {
        armed_ = false;
        act_(static_cast<unsigned>(fault.detail));
        armed_ = true;
      }
      return fault.answer == Answer::error;
    }
    return false;
  }

 private:
  enum class Answer : std::uint8_t { error, is_short, after_others };

  struct Fault {
    Fault() = default;
    /// The call, how many of its kind go well before, and what becomes of it.
    explicit Fault(const std::uint8_t* bytes)
        : call(static_cast<Call>(bytes[0] % (1 + static_cast<unsigned>(Call::count)))),
          first(bytes[1]) {
      static constexpr int kErrors[] = {EIO,    EINTR,  ENOENT, EACCES, EEXIST, EINVAL,
                                        ENOSYS, EISDIR, EPERM,  EBADF,  ENOSPC, EOPNOTSUPP};
      constexpr unsigned kKinds = std::size(kErrors) + 1 + kActions;
      constexpr unsigned kLasting = 20;  // more often than anything is tried again
      const unsigned what = bytes[2] % kKinds;
      if (bytes[2] / kKinds % 2 == 1) calls = kLasting;
      if (what < std::size(kErrors)) {
        detail = kErrors[what];
      } else if (what == std::size(kErrors)) {
        answer = Answer::is_short;
      } else {
        answer = Answer::after_others;
        detail = static_cast<int>(what - std::size(kErrors) - 1);
      }
    }

    Call call = Call::count;
    unsigned first = 0;
    unsigned calls = 1;
    Answer answer = Answer::error;
    int detail = 0;  ///< errno, or the number of an action
    unsigned happened = 0;
  };

  bool armed_ = false;
  std::array<Fault, kFaults> faults_;
  std::array<unsigned, static_cast<std::size_t>(Call::count)> seen_{};
  std::function<void(unsigned)> act_;
};

}  // namespace crivo::fuzz

// The names are the linker's.
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)
#define CRIVO_WRAP(Result, name, failed, parameters, arguments)                     \
  extern "C" Result __real_##name parameters;                                       \
  extern "C" Result __wrap_##name parameters {                                      \
    if (crivo::fuzz::Faults::now().fails(crivo::fuzz::Call::name)) return (failed); \
    return __real_##name arguments;                                                 \
  }

CRIVO_WRAP(int, access, -1, (const char* path, int mode), (path, mode))
CRIVO_WRAP(int, fchmod, -1, (int fd, mode_t mode), (fd, mode))
CRIVO_WRAP(int, fchown, -1, (int fd, uid_t user, gid_t group), (fd, user, group))
CRIVO_WRAP(DIR*, fdopendir, nullptr, (int fd), (fd))
CRIVO_WRAP(int, flock, -1, (int fd, int how), (fd, how))
CRIVO_WRAP(int, fstat, -1, (int fd, struct stat* status), (fd, status))
CRIVO_WRAP(int, fstatat, -1, (int at, const char* path, struct stat* status, int flags),
           (at, path, status, flags))
CRIVO_WRAP(int, ftruncate, -1, (int fd, off_t size), (fd, size))
CRIVO_WRAP(ssize_t, getrandom, -1, (void* bytes, size_t size, unsigned flags), (bytes, size, flags))
CRIVO_WRAP(int, linkat, -1, (int from, const char* path, int to, const char* name, int flags),
           (from, path, to, name, flags))
CRIVO_WRAP(int, mkdirat, -1, (int at, const char* path, mode_t mode), (at, path, mode))
CRIVO_WRAP(int, mlock, -1, (const void* memory, size_t size), (memory, size))
CRIVO_WRAP(void*, mmap, MAP_FAILED,
           (void* place, size_t size, int protection, int flags, int fd, off_t offset),
           (place, size, protection, flags, fd, offset))
CRIVO_WRAP(dirent*, readdir, nullptr, (DIR * stream), (stream))
CRIVO_WRAP(int, renameat, -1, (int from, const char* path, int to, const char* name),
           (from, path, to, name))
CRIVO_WRAP(int, renameat2, -1,
           (int from, const char* path, int to, const char* name, unsigned flags),
           (from, path, to, name, flags))
CRIVO_WRAP(int, unlinkat, -1, (int at, const char* path, int flags), (at, path, flags))

// What these make durable is of no use to a fuzzer.
extern "C" int __wrap_fsync(int /*fd*/) {
  return crivo::fuzz::Faults::now().fails(crivo::fuzz::Call::fsync) ? -1 : 0;
}
extern "C" int __wrap_syncfs(int /*fd*/) {
  return crivo::fuzz::Faults::now().fails(crivo::fuzz::Call::syncfs) ? -1 : 0;
}

extern "C" ssize_t __real_pread(int fd, void* bytes, size_t size, off_t offset);
extern "C" ssize_t __wrap_pread(int fd, void* bytes, size_t size, off_t offset) {
  bool is_short = false;
  if (crivo::fuzz::Faults::now().fails(crivo::fuzz::Call::pread, &is_short)) return -1;
  return is_short ? 0 : __real_pread(fd, bytes, size, offset);
}
extern "C" ssize_t __real_pwrite(int fd, const void* bytes, size_t size, off_t offset);
extern "C" ssize_t __wrap_pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  bool is_short = false;
  if (crivo::fuzz::Faults::now().fails(crivo::fuzz::Call::pwrite, &is_short)) return -1;
  return __real_pwrite(fd, bytes, is_short ? (size + 1) / 2 : size, offset);
}

extern "C" int __real_open(const char* path, int flags, ...);
extern "C" int __wrap_open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (crivo::fuzz::Faults::now().fails(crivo::fuzz::Call::open)) return -1;
  return __real_open(path, flags, mode);
}
extern "C" int __real_openat(int at, const char* path, int flags, ...);
extern "C" int __wrap_openat(int at, const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (crivo::fuzz::Faults::now().fails(crivo::fuzz::Call::openat)) return -1;
  return __real_openat(at, path, flags, mode);
}
extern "C" int __real_fcntl(int fd, int command, ...);
extern "C" int __wrap_fcntl(int fd, int command, ...) {
  va_list more;
  va_start(more, command);
  void* const argument = va_arg(more, void*);
  va_end(more);
  if (crivo::fuzz::Faults::now().fails(crivo::fuzz::Call::fcntl)) return -1;
  return __real_fcntl(fd, command, argument);
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)
