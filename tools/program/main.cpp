// SPDX-License-Identifier: Apache-2.0
// crivo: build index files, look keys up in them, inspect and verify them.

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "crivo/open.hpp"
#include "program/program.hpp"

namespace {

/// Where the caller closed standard input, output or error, files that are opened later would get
/// its number, and so be read as input, or have messages written into them. What stands there
/// instead cannot be read (0) or written (1, 2): whoever needs it gets an error.
void fill_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is given, which is this one.
    if (::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) std::abort();
  }
}

/// Where there is no memory for what cannot throw: objects that are made before main(), and
/// functions of the standard library that are noexcept. One line and the exit code, as for any
/// other call.
[[noreturn]] void end_without_memory() {
  bool lacks_memory = false;
  try {
    if (std::current_exception()) throw;
    // Nothing was thrown, perhaps as there was no memory for the exception.
    void* volatile some = std::malloc(1024);
    lacks_memory = some == nullptr;
    std::free(some);
  } catch (const std::bad_alloc&) {
    lacks_memory = true;
  } catch (...) {
  }
  if (lacks_memory) {
    constexpr std::string_view kMessage = "crivo: out of memory\n";
    (void)!::write(STDERR_FILENO, kMessage.data(), kMessage.size());
    ::_exit(5);
  }
  std::abort();
}

/// Where a page of a mapped file cannot be read that no lookup can call damaged, such as one of a
/// filter.
void end_without_page(int) {
  constexpr std::string_view kMessage =
      "crivo: damaged: a page of a mapped file cannot be read: the file was cut short, or its disk "
      "is bad\n";
  (void)!::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  ::_exit(4);
}

/// Before the objects of any other file are made.
[[gnu::constructor(101)]] void prepare_for_no_memory() {
  std::set_terminate(end_without_memory);
}

/// glibc takes what is as long as something that was freed before, up to 32 MiB, from a heap of the
/// thread, which keeps as much again: several threads, of which one at a time had a long record,
/// had 20 MiB each.
void give_long_memory_back() {
#ifdef __GLIBC__
  constexpr int kLong = 4 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLong);
  ::mallopt(M_TRIM_THRESHOLD, 2 * kLong);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  give_long_memory_back();
  fill_standard_descriptors();
  // A file-size limit shall be an error that can be told, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, end_without_page);
  crivo::guard_reads();
  return crivo::cli::run(argc, argv);
}
