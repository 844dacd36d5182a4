// SPDX-License-Identifier: Apache-2.0
#include "base/processor_time.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>

namespace crivo::base {
namespace {

std::size_t page_bytes() noexcept {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

std::uint64_t fresh_bytes() noexcept {
  rusage used{};
  if (::getrusage(RUSAGE_SELF, &used) != 0) return 0;
  return static_cast<std::uint64_t>(used.ru_minflt) * page_bytes();
}

double seconds_per_fresh_byte() noexcept {
  constexpr std::size_t kBytes = std::size_t{2} << 20;
  void* const memory =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 0;
  const WorkClock clock;
  auto* const bytes = static_cast<volatile std::byte*>(memory);
  for (std::size_t at = 0; at < kBytes; at += page_bytes()) bytes[at] = std::byte{1};
  const double seconds = clock.processor_seconds();
  ::munmap(memory, kBytes);
  return seconds / kBytes;
}

}  // namespace crivo::base
