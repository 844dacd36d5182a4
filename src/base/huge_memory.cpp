// SPDX-License-Identifier: Apache-2.0
#include "base/huge_memory.hpp"

#include <sys/mman.h>

#include <string>

#include "crivo/error.hpp"

namespace crivo::stream {
namespace {

/// Less than this would pay more for huge pages than it gains.
constexpr std::size_t kHugePagesBytes = std::size_t{4} << 20;

}  // namespace

HugeMemory::HugeMemory(std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) return;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ErrorKind::io, "no memory for " + std::to_string(bytes) + " bytes of keys' hashes");
  }
  if (bytes >= kHugePagesBytes) ::madvise(memory, bytes, MADV_HUGEPAGE);
  data_ = static_cast<std::byte*>(memory);
}

HugeMemory::~HugeMemory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

}  // namespace crivo::stream
