// SPDX-License-Identifier: Apache-2.0
/// Memory for a key stream, handed out in blocks, within a budget.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "base/memory.hpp"

namespace crivo::stream {

/// Blocks of kBlockBytes each, in slabs that are mapped as they are needed. A block that was given
/// back is handed out again before a new slab is mapped. Thread-safe.
class BlockArena {
 public:
  /// Small, so that thousands of partitions with a block in work for each thread take megabytes.
  static constexpr std::size_t kBlockBytes = std::size_t{2} << 10;

  /// At most `budget` bytes of blocks, rounded down to whole blocks.
  explicit BlockArena(std::uint64_t budget) : blocks_(budget / kBlockBytes), available_(blocks_) {}
  BlockArena(const BlockArena&) = delete;
  BlockArena& operator=(const BlockArena&) = delete;

  /// Up to `most` blocks (at least 1), one after the other; none where the budget is used up.
  /// Throws Error(io) if the system refuses memory that is within it.
  std::span<std::byte> take(std::uint64_t most);
  void give_back(std::byte* block) noexcept;
  /// Gives all memory back to the system: all blocks are gone, and none can be taken any more.
  void release() noexcept;

  std::uint64_t blocks() const noexcept { return blocks_; }
  /// How many can be taken; as other threads take and give back, about so many.
  std::uint64_t available() const noexcept { return available_.load(std::memory_order_relaxed); }

 private:
  void map_slab();

  const std::uint64_t blocks_;
  std::atomic<std::uint64_t> available_;
  std::mutex mutex_;
  std::vector<base::HugeMemory> slabs_;
  std::uint64_t mapped_blocks_ = 0;
  std::vector<std::byte*> free_;  ///< room for every block mapped, so that giving back cannot fail
  std::byte* next_ = nullptr;     ///< in the last slab
  std::byte* end_ = nullptr;
};

}  // namespace crivo::stream
