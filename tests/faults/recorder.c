/* SPDX-License-Identifier: Apache-2.0 */
// Preloaded into the program (LD_PRELOAD): writes down, in their order, the calls that change files
// and directories, and those that make changes durable. disk.py makes of them what a loss of power
// can leave.
//
//   CRIVO_RECORD        the file that the record is appended to
//   CRIVO_RECORD_NAMED  set: the file system has no unnamed files (O_TMPFILE)
//
// A record is of five native 64-bit integers (what; a file or directory, by its inode; two numbers;
// how many bytes follow) and those bytes. Only calls through the dynamic linker are seen, which are
// those of the program and of every library; disk.py finds out whether any was missed, as it ends
// with what is on the disk. Files that are mapped to be written to are named, since what is written
// through a mapping is not seen.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* The same numbers stand in disk.py. */
enum event {
  FILE_MADE = 1,   /* inode */
  FOLDER_MADE = 2, /* inode */
  NAMED = 3,       /* directory; inode; the name */
  UNNAMED = 4,     /* directory; the name */
  RENAMED = 5,     /* directory; the other directory; length of the first name; both names */
  WRITTEN = 6,     /* inode; offset; the data */
  CUT = 7,         /* inode; length, which may be greater than before */
  SYNCED = 8,      /* inode */
  ALL_SYNCED = 9,
  WRITTEN_THROUGH = 10, /* as WRITTEN: durable when the call returns */
  MAPPED = 11           /* inode */
};

static int record = -1;
static bool has_no_unnamed;
/* One call at a time, so that the order of the record is that of the calls. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
  const char* const path = getenv("CRIVO_RECORD");
  has_no_unnamed = getenv("CRIVO_RECORD_NAMED") != NULL;
  if (path == NULL) return;
  record = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (record < 0) abort();
}

static void put(const void* data, size_t size) {
  while (size != 0) {
    const long done = syscall(SYS_write, record, data, size);
    if (done <= 0) abort();
    data = (const char*)data + done;
    size -= (size_t)done;
  }
}

static void tell(enum event what, uint64_t inode, uint64_t a, uint64_t b, const void* data,
                 size_t size) {
  if (record < 0) return;
  const int error = errno;
  const uint64_t head[5] = {what, inode, a, b, size};
  put(head, sizeof head);
  put(data, size);
  errno = error;
}

// What calls are about ---------------------------------------------------------------------------

/* The inode of what is open, or 0 for a pipe, a terminal and the like. */
static uint64_t inode_of(int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0) return 0;
  return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) ? status.st_ino : 0;
}

static uint64_t inode_at(int directory, const char* path) {
  struct stat status;
  return fstatat(directory, path, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status.st_ino : 0;
}

struct place {
  uint64_t directory;
  char name[256];
};

static struct place place_of(int directory, const char* path) {
  struct place place = {0, ""};
  char parent[4096];
  size_t end = strlen(path);
  while (end > 1 && path[end - 1] == '/') --end;
  size_t begin = end;
  while (begin > 0 && path[begin - 1] != '/') --begin;
  if (end - begin >= sizeof place.name || begin >= sizeof parent) abort();
  memcpy(place.name, path + begin, end - begin);
  memcpy(parent, path, begin);
  parent[begin] = 0;
  struct stat status;
  if (fstatat(directory, begin == 0 ? "." : parent, &status, 0) == 0)
    place.directory = status.st_ino;
  return place;
}

static void tell_name(int directory, const char* path) {
  const struct place place = place_of(directory, path);
  tell(NAMED, place.directory, inode_at(directory, path), 0, place.name, strlen(place.name));
}

static void tell_no_name(const struct place* place) {
  tell(UNNAMED, place->directory, 0, 0, place->name, strlen(place->name));
}

static void tell_write(int fd, uint64_t offset, const void* data, size_t size) {
  const uint64_t inode = inode_of(fd);
  const bool through = (fcntl(fd, F_GETFL) & (O_DSYNC | O_SYNC)) != 0;
  if (inode != 0) tell(through ? WRITTEN_THROUGH : WRITTEN, inode, offset, 0, data, size);
}

static void tell_pieces(int fd, uint64_t offset, const struct iovec* pieces, ssize_t size) {
  for (; size > 0; ++pieces) {
    const size_t some = pieces->iov_len < (size_t)size ? pieces->iov_len : (size_t)size;
    tell_write(fd, offset, pieces->iov_base, some);
    offset += some;
    size -= (ssize_t)some;
  }
}

static void tell_size(int fd) {
  struct stat status;
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
    tell(CUT, status.st_ino, (uint64_t)status.st_size, 0, NULL, 0);
}

static uint64_t at(int fd, ssize_t written) {
  const off_t now = lseek(fd, 0, SEEK_CUR);
  return now < 0 ? 0 : (uint64_t)(now - (written > 0 ? written : 0));
}

// The calls --------------------------------------------------------------------------------------

/* A call, and what is told of it when it has succeeded; `before` is what has to be known before it.
 */
#define CALL(type, name, parameters, arguments, before, succeeded, told) \
  type name parameters {                                                 \
    static __typeof__(&name) next;                                       \
    pthread_mutex_lock(&turn);                                           \
    if (next == NULL) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name); \
    before;                                                              \
    type result = next arguments;                                        \
    if (succeeded) told;                                                 \
    pthread_mutex_unlock(&turn);                                         \
    return result;                                                       \
  }

CALL(ssize_t, write, (int fd, const void* data, size_t size), (fd, data, size), , result > 0,
     tell_write(fd, at(fd, result), data, (size_t)result))
CALL(ssize_t, pwrite, (int fd, const void* data, size_t size, off_t offset),
     (fd, data, size, offset), , result > 0, tell_write(fd, (uint64_t)offset, data, (size_t)result))
CALL(ssize_t, pwrite64, (int fd, const void* data, size_t size, off64_t offset),
     (fd, data, size, offset), , result > 0, tell_write(fd, (uint64_t)offset, data, (size_t)result))
CALL(ssize_t, writev, (int fd, const struct iovec* pieces, int count), (fd, pieces, count), ,
     result > 0, tell_pieces(fd, at(fd, result), pieces, result))
CALL(ssize_t, pwritev, (int fd, const struct iovec* pieces, int count, off_t offset),
     (fd, pieces, count, offset), , result > 0, tell_pieces(fd, (uint64_t)offset, pieces, result))
CALL(ssize_t, pwritev64, (int fd, const struct iovec* pieces, int count, off64_t offset),
     (fd, pieces, count, offset), , result > 0, tell_pieces(fd, (uint64_t)offset, pieces, result))

#define RESIZE(type, name, parameters, arguments) \
  CALL(type, name, parameters, arguments, , result == 0, tell_size(fd))
RESIZE(int, ftruncate, (int fd, off_t size), (fd, size))
RESIZE(int, ftruncate64, (int fd, off64_t size), (fd, size))
RESIZE(int, fallocate, (int fd, int mode, off_t offset, off_t size), (fd, mode, offset, size))
RESIZE(int, fallocate64, (int fd, int mode, off64_t offset, off64_t size), (fd, mode, offset, size))
RESIZE(int, posix_fallocate, (int fd, off_t offset, off_t size), (fd, offset, size))
RESIZE(int, posix_fallocate64, (int fd, off64_t offset, off64_t size), (fd, offset, size))

#define SYNC(name) \
  CALL(int, name, (int fd), (fd), , result == 0, tell(SYNCED, inode_of(fd), 0, 0, NULL, 0))
SYNC(fsync)
SYNC(fdatasync)
CALL(int, syncfs, (int fd), (fd), , result == 0, tell(ALL_SYNCED, 0, 0, 0, NULL, 0))

static void tell_rename(const struct place* from, const struct place* to) {
  char names[512];
  const size_t first = strlen(from->name), second = strlen(to->name);
  memcpy(names, from->name, first);
  memcpy(names + first, to->name, second);
  tell(RENAMED, from->directory, to->directory, first, names, first + second);
}

#define RENAME(name, parameters, arguments, from_fd, to_fd)                                \
  CALL(int, name, parameters, arguments, const struct place old = place_of(from_fd, from); \
       const struct place new = place_of(to_fd, to), result == 0, tell_rename(&old, &new))
RENAME(rename, (const char* from, const char* to), (from, to), AT_FDCWD, AT_FDCWD)
RENAME(renameat, (int from_fd, const char* from, int to_fd, const char* to),
       (from_fd, from, to_fd, to), from_fd, to_fd)
RENAME(renameat2, (int from_fd, const char* from, int to_fd, const char* to, unsigned flags),
       (from_fd, from, to_fd, to, flags), from_fd, to_fd)
CALL(int, link, (const char* from, const char* to), (from, to), , result == 0,
     tell_name(AT_FDCWD, to))
CALL(int, linkat, (int from_fd, const char* from, int to_fd, const char* to, int flags),
     (from_fd, from, to_fd, to, flags), , result == 0, tell_name(to_fd, to))

#define REMOVE(name, parameters, arguments, directory)                                       \
  CALL(int, name, parameters, arguments, const struct place old = place_of(directory, path), \
       result == 0, tell_no_name(&old))
REMOVE(unlink, (const char* path), (path), AT_FDCWD)
REMOVE(unlinkat, (int directory, const char* path, int flags), (directory, path, flags), directory)
REMOVE(remove, (const char* path), (path), AT_FDCWD)
REMOVE(rmdir, (const char* path), (path), AT_FDCWD)

static void tell_folder(int directory, const char* path) {
  tell(FOLDER_MADE, inode_at(directory, path), 0, 0, NULL, 0);
  tell_name(directory, path);
}
CALL(int, mkdir, (const char* path, mode_t mode), (path, mode), , result == 0,
     tell_folder(AT_FDCWD, path))
CALL(int, mkdirat, (int directory, const char* path, mode_t mode), (directory, path, mode), ,
     result == 0, tell_folder(directory, path))

static void tell_file(int fd, int directory, const char* path) {
  tell(FILE_MADE, inode_of(fd), 0, 0, NULL, 0);
  if (path != NULL) tell_name(directory, path);
}
CALL(int, mkostemp, (char* path, int flags), (path, flags), , result >= 0,
     tell_file(result, AT_FDCWD, path))
CALL(int, mkostemp64, (char* path, int flags), (path, flags), , result >= 0,
     tell_file(result, AT_FDCWD, path))

static void tell_open(int fd, int directory, const char* path, int flags, bool was_there) {
  if ((flags & O_TMPFILE) == O_TMPFILE) {
    tell_file(fd, directory, NULL);
  } else if ((flags & O_CREAT) != 0 && !was_there) {
    tell_file(fd, directory, path);
  } else if ((flags & O_TRUNC) != 0) {
    tell_size(fd);
  }
}

/* Where there are no unnamed files, the call fails as it would there. */
static int refuse_unnamed(void) {
  errno = EOPNOTSUPP;
  return -1;
}
#define OPEN(name, parameters, directory, ...)                                           \
  int name parameters {                                                                  \
    static __typeof__(&name) next;                                                       \
    va_list rest;                                                                        \
    va_start(rest, flags);                                                               \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                                        \
    pthread_mutex_lock(&turn);                                                           \
    if (next == NULL) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                 \
    const bool was_there = (flags & O_CREAT) != 0 && inode_at(directory, path) != 0;     \
    const int result = has_no_unnamed && (flags & O_TMPFILE) == O_TMPFILE                \
                           ? refuse_unnamed()                                            \
                           : next(__VA_ARGS__, flags, mode);                             \
    if (result >= 0) tell_open(result, directory, path, flags, was_there);               \
    pthread_mutex_unlock(&turn);                                                         \
    return result;                                                                       \
  }
OPEN(open, (const char* path, int flags, ...), AT_FDCWD, path)
OPEN(open64, (const char* path, int flags, ...), AT_FDCWD, path)
OPEN(openat, (int directory, const char* path, int flags, ...), directory, directory, path)
OPEN(openat64, (int directory, const char* path, int flags, ...), directory, directory, path)

#define MAP(name, offset_type)                                                              \
  CALL(void*, name,                                                                         \
       (void* address, size_t size, int protection, int flags, int fd, offset_type offset), \
       (address, size, protection, flags, fd, offset), ,                                    \
       result != MAP_FAILED && fd >= 0 && (flags & MAP_SHARED) != 0 &&                      \
           (protection & PROT_WRITE) != 0,                                                  \
       tell(MAPPED, inode_of(fd), 0, 0, NULL, 0))
MAP(mmap, off_t)
MAP(mmap64, off64_t)
