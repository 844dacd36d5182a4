// SPDX-License-Identifier: Apache-2.0
/// Memory of whole pages.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#include "base/arithmetic.hpp"

namespace crivo::base {

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

}  // namespace crivo::base
