// SPDX-License-Identifier: Apache-2.0
/// What memory the build of a dictionary takes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "builds/memory_need.hpp"

namespace crivo::index {

/// Whatever the keys.
inline MemoryNeed dictionary_need() {
  return {.fixed_bytes = std::uint64_t{24} << 20};
}

/// Of so many keys with so many bytes. They are sorted, and then kept with what each has in common
/// with the one before only once.
class DictionaryMemory {
 public:
  DictionaryMemory(std::uint64_t keys, std::uint64_t bytes, bool sorted) noexcept
      : stream_(sorted ? 0 : bytes + 2 * keys), kept_(bytes / 2 + 8 * keys) {}

  /// What the stream of the texts may have of the budget, and what the kept keys may.
  static std::uint64_t stream_bytes(const MemoryBudget& budget) noexcept {
    return budget.stream_bytes() / 2;
  }
  static std::uint64_t kept_bytes(const MemoryBudget& budget) noexcept {
    return budget.stream_bytes() / 4;
  }

  std::uint64_t peak(const MemoryBudget& budget) const noexcept {
    constexpr std::uint64_t kFixed = std::uint64_t{40} << 20;
    return kFixed + std::min(stream_, stream_bytes(budget)) + std::min(kept_, kept_bytes(budget));
  }
  std::uint64_t spilled(const MemoryBudget& budget) const noexcept {
    return (stream_ > stream_bytes(budget) ? stream_ : 0) +
           (kept_ > kept_bytes(budget) ? kept_ : 0);
  }

 private:
  std::uint64_t stream_;
  std::uint64_t kept_;
};

}  // namespace crivo::index
