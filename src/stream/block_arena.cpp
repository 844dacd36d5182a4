// SPDX-License-Identifier: Apache-2.0
#include "stream/block_arena.hpp"

#include <algorithm>

namespace crivo::stream {
namespace {

/// Each slab is twice the one before, from the first of these to the second: few maps for much
/// memory, little of it unused for little.
constexpr std::size_t kFirstSlabBytes = std::size_t{1} << 20;
constexpr std::size_t kLargestSlabBytes = std::size_t{64} << 20;

}  // namespace

std::span<std::byte> BlockArena::take(std::uint64_t most) {
  const std::scoped_lock lock(mutex_);
  std::span<std::byte> blocks;
  if (!free_.empty()) {
    blocks = {free_.back(), kBlockBytes};
    free_.pop_back();
  } else {
    if (next_ == end_) {
      if (mapped_blocks_ == blocks_) return {};
      map_slab();
    }
    const auto left = static_cast<std::size_t>(end_ - next_);
    blocks = {next_, std::min<std::size_t>(left, most * kBlockBytes)};
    next_ += blocks.size();
  }
  available_.fetch_sub(blocks.size() / kBlockBytes, std::memory_order_relaxed);
  return blocks;
}

void BlockArena::map_slab() {
  const std::size_t wanted =
      slabs_.empty() ? kFirstSlabBytes : std::min(kLargestSlabBytes, 2 * slabs_.back().size());
  const std::uint64_t blocks =
      std::min<std::uint64_t>(wanted / kBlockBytes, blocks_ - mapped_blocks_);
  slabs_.reserve(slabs_.size() + 1);
  free_.reserve(mapped_blocks_ + blocks);
  slabs_.emplace_back(blocks * kBlockBytes);
  next_ = slabs_.back().data();
  end_ = next_ + slabs_.back().size();
  mapped_blocks_ += blocks;
}

void BlockArena::give_back(std::byte* block) noexcept {
  const std::scoped_lock lock(mutex_);
  free_.push_back(block);
  available_.fetch_add(1, std::memory_order_relaxed);
}

void BlockArena::release() noexcept {
  const std::scoped_lock lock(mutex_);
  slabs_.clear();
  free_.clear();
  next_ = end_ = nullptr;
  mapped_blocks_ = blocks_;
  available_.store(0, std::memory_order_relaxed);
}

}  // namespace crivo::stream
