// SPDX-License-Identifier: Apache-2.0
/// The memory that the build of a dictionary takes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "build/memory_need.hpp"

namespace crivo::index {

/// The bytes that are spilled of so many, within `most` of memory: all or none, as all are when
/// three quarters of that are full.
constexpr std::uint64_t spilled_of(std::uint64_t bytes, std::uint64_t most) noexcept {
  return bytes > most / 4 * 3 ? bytes : 0;
}

/// Whatever the keys.
inline MemoryNeed dictionary_need() {
  return {.fixed_bytes = std::uint64_t{24} << 20};
}

/// The memory for keys that are sorted, and then kept with what each has in common with the one
/// before only once.
struct DictionaryMemory {
  std::uint64_t keys = 0;
  std::uint64_t streamed_bytes = 0;  ///< while they are sorted; 0: they come in order
  std::uint64_t kept_bytes = 0;
  std::uint64_t rest_bytes = 0;  ///< of keys without what they have in common
  unsigned token_bits = 12;
  bool hashed = false;  ///< with hashed ids, which are built when the keys are written

  /// Returns the bytes of the budget that the stream of the texts may have.
  static std::uint64_t most_streamed(const MemoryBudget& budget) noexcept {
    return budget.stream_bytes() / 2;
  }
  /// Returns those that the kept keys may have, where others than the dictionary take so many.
  static std::uint64_t most_kept(const MemoryBudget& budget, std::uint64_t taken = 0) noexcept {
    const std::uint64_t all = budget.stream_bytes();
    return std::min(all / 4, std::max(all / 32, all - std::min(all, taken)));
  }

  std::uint64_t peak(unsigned threads, const MemoryBudget& budget) const noexcept;
  std::uint64_t spilled(unsigned threads, const MemoryBudget& budget) const noexcept;

 private:
  std::uint64_t spilled_texts(unsigned threads, const MemoryBudget& budget) const noexcept;
};

/// Returns the bytes of a dictionary of so many keys, without values, by a sample of them in the
/// order of hashes.
std::uint64_t dictionary_bytes(std::span<const std::string_view> sample, std::uint64_t keys);

}  // namespace crivo::index
