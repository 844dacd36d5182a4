// SPDX-License-Identifier: Apache-2.0
// Memory that is reached for the first time is counted, and takes time.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>

#include "base/processor_time.hpp"

namespace crivo::base {
namespace {

TEST(FreshMemory, IsCountedWhereItIsReached) {
  constexpr std::size_t kBytes = std::size_t{2} << 20;
  void* const memory =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(::madvise(memory, kBytes, MADV_NOHUGEPAGE), 0);
  auto* const bytes = static_cast<volatile std::byte*>(memory);
  const std::uint64_t before = fresh_bytes();
  for (std::size_t at = 0; at < kBytes; at += 4096) bytes[at] = std::byte{1};
  const std::uint64_t once = fresh_bytes();
  EXPECT_GE(once - before, kBytes);
  for (std::size_t at = 0; at < kBytes; at += 4096) bytes[at] = std::byte{2};
  EXPECT_LT(fresh_bytes() - once, kBytes / 2);  // those of others, perhaps
  ::munmap(memory, kBytes);
}

TEST(FreshMemory, TakesTime) {
  EXPECT_GT(seconds_per_fresh_byte(), 0);
  EXPECT_LT(seconds_per_fresh_byte(), 1e-6);
}

}  // namespace
}  // namespace crivo::base
