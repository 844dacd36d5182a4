// SPDX-License-Identifier: Apache-2.0
/// Vectors whose memory begins at a page, as writing past the page cache asks for.
#pragma once

#include <cstddef>
#include <new>

namespace crivo::base {

/// The largest unit in which file systems write directly.
inline constexpr std::size_t kPageBytes = 4096;

/// An allocator: std::vector<T, PageAligned<T>>.
template <typename T>
struct PageAligned {
  using value_type = T;  // NOLINT(*-identifier-naming): what the standard calls it

  PageAligned() = default;
  template <typename U>
  explicit PageAligned(const PageAligned<U>& /*other*/) noexcept {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{kPageBytes}));
  }
  void deallocate(T* memory, std::size_t /*count*/) noexcept {
    ::operator delete (memory, std::align_val_t{kPageBytes});
  }

  friend bool operator==(const PageAligned&, const PageAligned&) = default;
};

}  // namespace crivo::base
