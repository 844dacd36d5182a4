// SPDX-License-Identifier: Apache-2.0
#include "file/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"

namespace crivo::file {
namespace {

void* map(const base::FileDescriptor& file, const std::string& name, std::size_t size,
          Loading loading) {
  // The system is told to read the file before the mapping waits for it page by page.
  const bool whole = loading == Loading::preload || loading == Loading::lock;
  if (whole) (void)::posix_fadvise(file.get(), 0, 0, POSIX_FADV_WILLNEED);
  const int populate = whole ? MAP_POPULATE : 0;
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_SHARED | populate, file.get(), 0);
  if (memory == MAP_FAILED) base::throw_file_error(name, "cannot map", errno);
  const bool at_random = loading == Loading::mapped || loading == Loading::live;
  if (at_random) ::madvise(memory, size, MADV_RANDOM);
  if (loading == Loading::for_a_pass) ::madvise(memory, size, MADV_SEQUENTIAL);
  if (loading == Loading::lock && ::mlock(memory, size) != 0) {
    const int error = errno;
    ::munmap(memory, size);
    base::throw_system_error(name + ": cannot lock its " + std::to_string(size) +
                                 " bytes in memory (see RLIMIT_MEMLOCK, ulimit -l)",
                             error);
  }
  return memory;
}

void* zeros(const std::string& name, std::size_t size, int flags) {
  void* const memory =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  if (memory == MAP_FAILED) base::throw_file_error(name, "not enough memory for a copy", errno);
  return memory;
}

void* memory_for_copy(const std::string& name, std::size_t size) {
  void* const memory = zeros(name, size, 0);
  ::madvise(memory, size, MADV_HUGEPAGE);  // lookups are all over it
  return memory;
}

void read_whole(const base::FileDescriptor& file, const std::string& name, void* memory,
                std::size_t size) {
  if (!file.read_at(0, {static_cast<std::byte*>(memory), size})) {
    throw Error(ErrorKind::corrupt, name + ": was cut short while it was read");
  }
}

/// On the heap, for std::free().
void* read(const base::FileDescriptor& file, const std::string& name, std::size_t size) {
  // Sections begin at multiples of 64, which some of them rely on.
  std::unique_ptr<void, decltype(&std::free)> memory(
      std::aligned_alloc(64, base::align_up(size, 64)), std::free);
  if (!memory) throw std::bad_alloc();
  read_whole(file, name, memory.get(), size);
  return memory.release();
}

void* copy(const base::FileDescriptor& file, const std::string& name, std::size_t size) {
  void* const memory = memory_for_copy(name, size);
  try {
    read_whole(file, name, memory, size);
  } catch (...) {
    ::munmap(memory, size);
    throw;
  }
  ::mprotect(memory, size, PROT_READ);
  return memory;
}

/// Throws Error(corrupt) of what is no regular file.
std::size_t size_of(const base::FileDescriptor& file, const std::string& name) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) base::throw_file_error(name, "cannot open", errno);
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorKind::corrupt, name + ": not a Crivo file (not a regular file)");
  }
  return static_cast<std::size_t>(status.st_size);
}

/// Another descriptor of the file.
base::FileDescriptor another(int file) {
  base::FileDescriptor copy(::fcntl(file, F_DUPFD_CLOEXEC, 0));
  if (!copy.is_open()) base::throw_system_error("cannot duplicate a descriptor", errno);
  return copy;
}

}  // namespace

bool PagedBytes::read(base::ByteView some, std::byte* to) const noexcept {
  if (awaited_ != nullptr) {
    const bool is_there = awaited_->has(some);
    if (is_there && to != some.data()) std::ranges::copy(some, to);
    return is_there;
  }
  auto at = some.data() - memory_.data();
  for (std::size_t left = some.size(); left != 0;) {
    const ssize_t got = ::pread(file_, to, left, at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    to += got;
    left -= static_cast<std::size_t>(got);
  }
  return true;
}

base::FileDescriptor PagedBytes::file() const {
  return another(file_);
}

base::FileDescriptor open_to_map(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a FIFO must not wait for a writer.
  base::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) base::throw_file_error(path.string(), "cannot open", errno);
  return file;
}

MappedFile::MappedFile(const std::filesystem::path& path, Loading loading)
    : MappedFile(open_to_map(path), path.string(), loading) {}

MappedFile::MappedFile(const base::FileDescriptor& file, const std::string& name, Loading loading) {
  const std::size_t size = size_of(file, name);
  if (size == 0) return;
  is_read_ = size <= kReadBytes && loading != Loading::lock && loading != Loading::live;
  void* const memory = is_read_          ? read(file, name, size)
                       : copies(loading) ? copy(file, name, size)
                                         : map(file, name, size, loading);
  bytes_ = base::ByteView(static_cast<const std::byte*>(memory), size);
}

MappedFile MappedFile::by_pages(const base::FileDescriptor& file, const std::string& name) {
  const std::size_t size = size_of(file, name);
  if (size <= kReadBytes) return {file, name, Loading::copy};
  base::FileDescriptor own = another(file.get());
  MappedFile paged(
      base::ByteView(static_cast<const std::byte*>(zeros(name, size, MAP_NORESERVE)), size));
  paged.file_ = std::move(own);
  return paged;
}

MappedFile MappedFile::copy_of(base::ByteView bytes, const std::string& name) {
  if (bytes.empty()) return MappedFile(base::ByteView{});
  void* const memory = memory_for_copy(name, bytes.size());
  std::memcpy(memory, bytes.data(), bytes.size());
  ::mprotect(memory, bytes.size(), PROT_READ);
  return MappedFile(base::ByteView(static_cast<const std::byte*>(memory), bytes.size()));
}

MappedFile::~MappedFile() {
  auto* const memory = const_cast<std::byte*>(bytes_.data());
  if (is_read_) {
    std::free(memory);
  } else if (!bytes_.empty()) {
    ::munmap(memory, bytes_.size());
  }
}

void MappedFile::forget() const noexcept {
  if (is_read_ || file_.is_open()) return;
  ::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})),
      is_read_(std::exchange(other.is_read_, false)),
      file_(std::move(other.file_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(is_read_, other.is_read_);
  std::swap(file_, other.file_);
  return *this;
}

}  // namespace crivo::file
