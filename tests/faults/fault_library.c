/* SPDX-License-Identifier: Apache-2.0 */
// Preloaded into the program (LD_PRELOAD): counts the calls of one class that it makes from main()
// on, and lets one of them, or all from it on, go wrong.
//
//   CRIVO_FAULT_CLASS   write | sync | name | open | map | allocate | lock | thread
//   CRIVO_FAULT_AT      the call that goes wrong, counted from 1; 0: none
//   CRIVO_FAULT_ACTION  what becomes of it:
//     fail              it does nothing and fails with CRIVO_FAULT_ERRNO (a number)
//     fail-on           so do all calls after it: a disk that stays full
//     short             a write takes half of its bytes (of one byte: none less)
//     kill-before       SIGKILL in place of the call
//     kill-after        SIGKILL when it is done
//   CRIVO_FAULT_COUNT   a file of 8 bytes: the number of calls at any time, a native integer
//   CRIVO_FAULT_EARLY   set: calls count from before main() on, while objects are made
//   CRIVO_FAULT_NAMED   set: the file system has no unnamed files (O_TMPFILE)
//   CRIVO_FAULT_NO_PROC set: /proc is not mounted
//
// Only calls that go through the dynamic linker are seen: those of the program and of every
// library, but not the ones that libc makes within itself. Writes to the standard streams are left
// alone: a lost error line would tell nothing. What happens before main() or after it is no work of
// the program's.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum call_class { NO_CLASS, WRITE, SYNC, NAME, OPEN, MAP, ALLOCATE, LOCK, THREAD };
enum action { FAIL, SHORT, KILL_BEFORE, KILL_AFTER };
/* What becomes of one call. */
enum fate { PASSES, FAILS, IS_SHORT, DIES_AFTER };

static struct {
  enum call_class class;
  enum action action;
  bool lasting;
  uint64_t at;
  int error;
  bool named;
  bool no_proc;
  _Atomic uint64_t* seen;
} plan;
static atomic_bool armed;

static void die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
}

static enum fate meet(enum call_class class) {
  if (class != plan.class || !armed) return PASSES;
  const uint64_t number = atomic_fetch_add(plan.seen, 1) + 1;
  if (plan.at == 0 || number < plan.at || (number > plan.at && !plan.lasting)) return PASSES;
  switch (plan.action) {
    case FAIL:
      errno = plan.error;
      return FAILS;
    case SHORT:
      return IS_SHORT;
    case KILL_BEFORE:
      die();
      break;
    case KILL_AFTER:
      return DIES_AFTER;
  }
  return PASSES;
}

// The plan -------------------------------------------------------------------------------------

/* The index of a variable's value among `names`, or of their end. */
static unsigned choice(const char* variable, const char* const* names) {
  const char* value = getenv(variable);
  unsigned i = 0;
  while (names[i] != NULL && (value == NULL || strcmp(value, names[i]) != 0)) ++i;
  return i;
}

static void read_plan(void) {
  static const char* const classes[] = {"",    "write",    "sync", "name",   "open",
                                        "map", "allocate", "lock", "thread", NULL};
  static const char* const actions[] = {"fail",       "short",   "kill-before",
                                        "kill-after", "fail-on", NULL};
  const char* at = getenv("CRIVO_FAULT_AT");
  const char* error = getenv("CRIVO_FAULT_ERRNO");
  const char* count = getenv("CRIVO_FAULT_COUNT");
  const unsigned class = choice("CRIVO_FAULT_CLASS", classes);
  const unsigned action = choice("CRIVO_FAULT_ACTION", actions);
  plan.named = getenv("CRIVO_FAULT_NAMED") != NULL;
  plan.no_proc = getenv("CRIVO_FAULT_NO_PROC") != NULL;
  if (count == NULL || classes[class] == NULL) return;
  plan.lasting = actions[action] == NULL || action == 4;
  plan.action = plan.lasting ? FAIL : (enum action)action;
  plan.at = at != NULL ? strtoull(at, NULL, 10) : 0;
  plan.error = error != NULL ? atoi(error) : EIO;
  const int fd = (int)syscall(SYS_openat, AT_FDCWD, count, O_RDWR | O_CLOEXEC);
  void* page = fd < 0 ? MAP_FAILED
                      : (void*)syscall(SYS_mmap, NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE,
                                       MAP_SHARED, fd, (off_t)0);
  if (page == MAP_FAILED) abort();
  syscall(SYS_close, fd);
  plan.seen = page;
  plan.class = (enum call_class) class;
}

typedef int main_function(int, char**, char**);
static main_function* program_main;

static int armed_main(int argc, char** argv, char** environment) {
  if (!armed) read_plan();
  armed = true;
  const int code = program_main(argc, argv, environment);
  armed = false;
  return code;
}

int __libc_start_main(main_function* main, int argc, char** argv, void (*init)(void),
                      void (*fini)(void), void (*linker_fini)(void), void* stack_end) {
  typedef int start_function(main_function*, int, char**, void (*)(void), void (*)(void),
                             void (*)(void), void*);
  start_function* next = (start_function*)dlsym(RTLD_NEXT, "__libc_start_main");
  program_main = main;
  if (getenv("CRIVO_FAULT_EARLY") != NULL) {
    read_plan();
    armed = true;
  }
  return next(armed_main, argc, argv, init, fini, linker_fini, stack_end);
}

// The calls ------------------------------------------------------------------------------------

/* A call that fails by returning `failed` and setting errno. */
#define CALL(class, type, failed, name, parameters, ...)                 \
  type name parameters {                                                 \
    static __typeof__(&name) next;                                       \
    if (next == NULL) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    const enum fate fate = meet(class);                                  \
    if (fate == FAILS) return failed;                                    \
    type result = next(__VA_ARGS__);                                     \
    if (fate == DIES_AFTER) die();                                       \
    return result;                                                       \
  }

/* A write of `size` bytes, which may be done in part. */
#define WRITE_CALL(name, parameters, size, ...)                          \
  ssize_t name parameters {                                              \
    static __typeof__(&name) next;                                       \
    if (next == NULL) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    const enum fate fate = fd > STDERR_FILENO ? meet(WRITE) : PASSES;    \
    if (fate == FAILS) return -1;                                        \
    if (fate == IS_SHORT && size > 1) size /= 2;                         \
    const ssize_t result = next(__VA_ARGS__);                            \
    if (fate == DIES_AFTER) die();                                       \
    return result;                                                       \
  }

WRITE_CALL(write, (int fd, const void* data, size_t size), size, fd, data, size)
WRITE_CALL(pwrite, (int fd, const void* data, size_t size, off_t offset), size, fd, data, size,
           offset)
WRITE_CALL(pwrite64, (int fd, const void* data, size_t size, off64_t offset), size, fd, data, size,
           offset)
/* Half of several pieces is half of their number. */
WRITE_CALL(writev, (int fd, const struct iovec* pieces, int count), count, fd, pieces, count)
WRITE_CALL(pwritev, (int fd, const struct iovec* pieces, int count, off_t offset), count, fd,
           pieces, count, offset)
WRITE_CALL(pwritev64, (int fd, const struct iovec* pieces, int count, off64_t offset), count, fd,
           pieces, count, offset)
WRITE_CALL(copy_file_range,
           (int source, off64_t* from, int fd, off64_t* to, size_t size, unsigned flags), size,
           source, from, fd, to, size, flags)
CALL(WRITE, int, -1, ftruncate, (int fd, off_t size), fd, size)
CALL(WRITE, int, -1, ftruncate64, (int fd, off64_t size), fd, size)
CALL(WRITE, int, -1, fallocate, (int fd, int mode, off_t offset, off_t size), fd, mode, offset,
     size)
CALL(WRITE, int, -1, fallocate64, (int fd, int mode, off64_t offset, off64_t size), fd, mode,
     offset, size)
CALL(WRITE, int, plan.error, posix_fallocate, (int fd, off_t offset, off_t size), fd, offset, size)
CALL(WRITE, int, plan.error, posix_fallocate64, (int fd, off64_t offset, off64_t size), fd, offset,
     size)

CALL(SYNC, int, -1, fsync, (int fd), fd)
CALL(SYNC, int, -1, fdatasync, (int fd), fd)
CALL(SYNC, int, -1, syncfs, (int fd), fd)
CALL(SYNC, int, -1, msync, (void* address, size_t size, int flags), address, size, flags)

CALL(NAME, int, -1, rename, (const char* from, const char* to), from, to)
CALL(NAME, int, -1, renameat, (int from_fd, const char* from, int to_fd, const char* to), from_fd,
     from, to_fd, to)
CALL(NAME, int, -1, renameat2,
     (int from_fd, const char* from, int to_fd, const char* to, unsigned flags), from_fd, from,
     to_fd, to, flags)
CALL(NAME, int, -1, link, (const char* from, const char* to), from, to)
CALL(NAME, int, -1, linkat, (int from_fd, const char* from, int to_fd, const char* to, int flags),
     from_fd, from, to_fd, to, flags)
CALL(NAME, int, -1, symlink, (const char* text, const char* path), text, path)
CALL(NAME, int, -1, unlink, (const char* path), path)
CALL(NAME, int, -1, unlinkat, (int fd, const char* path, int flags), fd, path, flags)
CALL(NAME, int, -1, remove, (const char* path), path)
CALL(NAME, int, -1, mkdir, (const char* path, mode_t mode), path, mode)
CALL(NAME, int, -1, mkdirat, (int fd, const char* path, mode_t mode), fd, path, mode)
CALL(NAME, char*, NULL, mkdtemp, (char* path), path)
CALL(NAME, int, -1, rmdir, (const char* path), path)

static bool is_hidden(const char* path) {
  if (!plan.no_proc || strncmp(path, "/proc/", 6) != 0) return false;
  errno = ENOENT;
  return true;
}

int access(const char* path, int mode) {
  return is_hidden(path) ? -1 : (int)syscall(SYS_faccessat, AT_FDCWD, path, mode);
}

/* An open with the mode that follows some flags. */
#define OPEN_CALL(name, parameters, ...)                                 \
  int name parameters {                                                  \
    static __typeof__(&name) next;                                       \
    if (next == NULL) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    mode_t mode = 0;                                                     \
    if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {    \
      va_list rest;                                                      \
      va_start(rest, flags);                                             \
      mode = va_arg(rest, mode_t);                                       \
      va_end(rest);                                                      \
    }                                                                    \
    const enum fate fate = meet(OPEN);                                   \
    if (fate == FAILS) return -1;                                        \
    int result = -1;                                                     \
    if (plan.named && (flags & O_TMPFILE) == O_TMPFILE) {                \
      errno = EOPNOTSUPP;                                                \
    } else if (!is_hidden(path)) {                                       \
      result = next(__VA_ARGS__, flags, mode);                           \
    }                                                                    \
    if (fate == DIES_AFTER) die();                                       \
    return result;                                                       \
  }

OPEN_CALL(open, (const char* path, int flags, ...), path)
OPEN_CALL(open64, (const char* path, int flags, ...), path)
OPEN_CALL(openat, (int directory, const char* path, int flags, ...), directory, path)
OPEN_CALL(openat64, (int directory, const char* path, int flags, ...), directory, path)
CALL(OPEN, int, -1, mkostemp, (char* path, int flags), path, flags)
CALL(OPEN, int, -1, mkostemp64, (char* path, int flags), path, flags)
CALL(OPEN, DIR*, NULL, opendir, (const char* path), path)
CALL(OPEN, FILE*, NULL, fopen, (const char* path, const char* mode), path, mode)
CALL(OPEN, FILE*, NULL, fopen64, (const char* path, const char* mode), path, mode)

CALL(MAP, void*, MAP_FAILED, mmap,
     (void* address, size_t size, int protection, int flags, int fd, off_t offset), address, size,
     protection, flags, fd, offset)
CALL(MAP, void*, MAP_FAILED, mmap64,
     (void* address, size_t size, int protection, int flags, int fd, off64_t offset), address, size,
     protection, flags, fd, offset)
CALL(MAP, int, -1, munmap, (void* address, size_t size), address, size)
CALL(MAP, int, -1, madvise, (void* address, size_t size, int advice), address, size, advice)
CALL(MAP, int, -1, mlock, (const void* address, size_t size), address, size)

void* mremap(void* address, size_t old_size, size_t size, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  void* place = (flags & MREMAP_FIXED) != 0 ? va_arg(rest, void*) : NULL;
  va_end(rest);
  const enum fate fate = meet(MAP);
  if (fate == FAILS) return MAP_FAILED;
  void* result = (void*)syscall(SYS_mremap, address, old_size, size, flags, place);
  if (fate == DIES_AFTER) die();
  return result;
}

CALL(LOCK, int, -1, flock, (int fd, int operation), fd, operation)

CALL(THREAD, int, plan.error, pthread_create,
     (pthread_t * thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument),
     thread, attributes, start, argument)

/* libzstd 1.5.4 crashes where these two get no memory, and Crivo sees to it before that there is
 * enough: what they allocate meets no fault. */
static _Thread_local unsigned spared; /* the first calls the second */

#define SPARED_CALL(type, name, parameters, ...)                \
  type name parameters {                                        \
    static type(*next) parameters;                              \
    if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, #name); \
    ++spared;                                                   \
    type result = next(__VA_ARGS__);                            \
    --spared;                                                   \
    return result;                                              \
  }

SPARED_CALL(size_t, ZDICT_trainFromBuffer,
            (void* dictionary, size_t capacity, const void* samples, const size_t* sizes,
             unsigned count),
            dictionary, capacity, samples, sizes, count)
SPARED_CALL(void*, ZSTD_createCDict, (const void* dictionary, size_t size, int level), dictionary,
            size, level)

/* Memory: the names under which libc has its own, since looking one up may need memory. */
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);
void* __libc_memalign(size_t alignment, size_t size);

#define ALLOCATION(name, parameters, real)                        \
  void* name parameters {                                         \
    const enum fate fate = spared != 0 ? PASSES : meet(ALLOCATE); \
    if (fate == FAILS) return NULL;                               \
    void* result = real;                                          \
    if (fate == DIES_AFTER) die();                                \
    return result;                                                \
  }

ALLOCATION(malloc, (size_t size), __libc_malloc(size))
ALLOCATION(calloc, (size_t count, size_t size), __libc_calloc(count, size))
ALLOCATION(realloc, (void* old, size_t size), __libc_realloc(old, size))
ALLOCATION(aligned_alloc, (size_t alignment, size_t size), __libc_memalign(alignment, size))
ALLOCATION(memalign, (size_t alignment, size_t size), __libc_memalign(alignment, size))

int posix_memalign(void** memory, size_t alignment, size_t size) {
  void* result = memalign(alignment, size);
  if (result == NULL) return ENOMEM;
  *memory = result;
  return 0;
}
