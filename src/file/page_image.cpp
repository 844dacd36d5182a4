// SPDX-License-Identifier: Apache-2.0
#include "file/page_image.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "file/layout.hpp"

namespace crivo::file {

PageImage::PageImage(std::uint64_t pages, Loading loading, const std::string& name)
    : loading_(loading),
      name_(name),
      copies_(loading == Loading::copy ||
              ::sysconf(_SC_PAGESIZE) != static_cast<long>(layout::kPageAlignment)) {
  const std::size_t size = pages * layout::kPageAlignment;
  if (size == 0) return;
  const int protection = copies_ ? PROT_READ | PROT_WRITE : PROT_READ;
  const int reserve = copies_ ? 0 : MAP_NORESERVE;
  void* const memory =
      ::mmap(nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | reserve, -1, 0);
  if (memory == MAP_FAILED) base::throw_file_error(name, "not enough memory for its pages", errno);
  bytes_ = {static_cast<const std::byte*>(memory), size};
}

PageImage::~PageImage() {
  if (!bytes_.empty()) ::munmap(address(0), bytes_.size());
}

std::byte* PageImage::address(std::uint64_t page) const noexcept {
  return const_cast<std::byte*>(bytes_.data()) + page * layout::kPageAlignment;
}

void PageImage::map(std::uint64_t at, const base::FileDescriptor& file, const std::string& name,
                    std::uint64_t page, std::uint64_t pages) {
  const auto offset = static_cast<off_t>(page * layout::kPageAlignment);
  const std::size_t size = pages * layout::kPageAlignment;
  const bool whole = loading_ == Loading::preload || loading_ == Loading::lock;
  if (whole) {
    (void)::posix_fadvise(file.get(), offset, static_cast<off_t>(size), POSIX_FADV_WILLNEED);
  }
  const int populate = whole ? MAP_POPULATE : 0;
  if (::mmap(address(at), size, PROT_READ, MAP_SHARED | MAP_FIXED | populate, file.get(), offset) ==
      MAP_FAILED) {
    base::throw_file_error(name, "cannot map", errno);
  }
}

void PageImage::put(std::uint64_t at, base::ByteView bytes) {
  if (bytes.empty()) return;
  if (!copies_) ::mprotect(address(at), bytes.size(), PROT_READ | PROT_WRITE);
  std::memcpy(address(at), bytes.data(), bytes.size());
}

void PageImage::finish() {
  if (bytes_.empty()) return;
  ::mprotect(address(0), bytes_.size(), PROT_READ);
  if (loading_ == Loading::mapped) ::madvise(address(0), bytes_.size(), MADV_RANDOM);
  if (loading_ == Loading::for_a_pass) ::madvise(address(0), bytes_.size(), MADV_SEQUENTIAL);
  if (loading_ == Loading::lock && ::mlock(address(0), bytes_.size()) != 0) {
    base::throw_system_error(name_ + ": cannot lock its " + std::to_string(bytes_.size()) +
                                 " bytes in memory (see RLIMIT_MEMLOCK, ulimit -l)",
                             errno);
  }
}

}  // namespace crivo::file
