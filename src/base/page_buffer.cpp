// SPDX-License-Identifier: Apache-2.0
#include "base/page_buffer.hpp"

#include <cstdlib>
#include <new>

#include "base/arithmetic.hpp"

namespace crivo::base {

PageBuffer::PageBuffer(std::size_t bytes) : size_(align_up(bytes, kPage)) {
  if (size_ == 0) return;
  data_.reset(static_cast<std::byte*>(std::aligned_alloc(kPage, size_)));
  if (!data_) throw std::bad_alloc();
}

void PageBuffer::Free::operator()(std::byte* data) const noexcept {
  std::free(data);
}

}  // namespace crivo::base
