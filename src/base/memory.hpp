// SPDX-License-Identifier: Apache-2.0
/// Memory in large pieces, in whole pages, and given back.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"

namespace crivo::base {

/// Memory that is all zero when it is mapped, and is given back to the system when this dies.
class HugeMemory {
 public:
  HugeMemory() = default;
  /// Throws Error(io) if the system refuses so many bytes; 0 are none.
  explicit HugeMemory(std::size_t bytes);
  ~HugeMemory();
  HugeMemory(HugeMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  HugeMemory& operator=(HugeMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  HugeMemory(const HugeMemory&) = delete;
  HugeMemory& operator=(const HugeMemory&) = delete;

  std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Room for numbers of elements that change from use to use, in such memory.
template <typename Element>
class HugeRoom {
 public:
  /// From here on it holds `size` elements of no certain values. Throws Error(io) as HugeMemory.
  void take(std::size_t size) {
    if (size * sizeof(Element) > memory_.size()) {
      memory_ = HugeMemory();  // first the old one goes
      memory_ = HugeMemory((size + size / kSpare) * sizeof(Element));
    }
    held_ = {reinterpret_cast<Element*>(memory_.data()), size};
  }
  std::span<Element> held() const noexcept { return held_; }

 private:
  static constexpr std::size_t kSpare = 16;  ///< one for so many, so that few uses ask for more

  HugeMemory memory_;
  std::span<Element> held_;
};

inline HugeMemory::HugeMemory(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ErrorKind::io, "no memory for " + std::to_string(bytes) + " bytes of keys' hashes");
  }
  // Less than this would pay more for huge pages than it gains.
  constexpr std::size_t kHugePagesBytes = std::size_t{4} << 20;
  if (bytes >= kHugePagesBytes) ::madvise(memory, bytes, MADV_HUGEPAGE);
  data_ = static_cast<std::byte*>(memory);
}

inline HugeMemory::~HugeMemory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

/// Memory that direct reads and writes of files take: its address and size are whole pages.
class PageBuffer {
 public:
  static constexpr std::size_t kPage = 4096;

  PageBuffer() = default;
  /// `bytes`, rounded up to whole pages. Throws std::bad_alloc.
  explicit PageBuffer(std::size_t bytes);

  std::byte* data() const noexcept { return data_.get(); }
  std::size_t size() const noexcept { return size_; }

 private:
  struct Free {
    void operator()(std::byte* data) const noexcept;
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

inline PageBuffer::PageBuffer(std::size_t bytes) : size_(align_up(bytes, kPage)) {
  if (size_ == 0) return;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, size_)));
  if (!data_) throw std::bad_alloc();
}

inline void PageBuffer::Free::operator()(std::byte* data) const noexcept {
  std::free(data);
}

/// Empties a container and gives its memory back. (`container = {}` assigns an empty list to a
/// vector or a string, and keeps the memory.)
template <typename Container>
void free_memory(Container& container) noexcept {
  container = Container();
}

}  // namespace crivo::base
