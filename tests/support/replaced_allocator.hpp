// SPDX-License-Identifier: Apache-2.0
/// The allocator of a test program that counts allocations or has them fail. One file of the
/// program includes this, and defines allocate().
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace crivo::test {

/// Memory that std::free() takes. Throws std::bad_alloc.
void* allocate(std::size_t size, std::size_t alignment);

}  // namespace crivo::test

void* operator new(std::size_t size) {
  return crivo::test::allocate(size, alignof(std::max_align_t));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return crivo::test::allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
