// SPDX-License-Identifier: Apache-2.0
/// A bit for each rank.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace crivo::index {

/// Marks ranks, from any thread.
class RankBits {
 public:
  explicit RankBits(std::uint64_t ranks) : bits_(ranks / 64 + 1) {}

  /// False if the rank was marked before.
  bool mark(std::uint64_t rank) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (rank % 64);
    const std::atomic_ref word(bits_[rank / 64]);
    return (word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
  }
  /// Asks for the memory that mark() will touch.
  void prefetch(std::uint64_t rank) const noexcept { __builtin_prefetch(&bits_[rank / 64], 1); }

 private:
  std::vector<std::uint64_t> bits_;
};

}  // namespace crivo::index
