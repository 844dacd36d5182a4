/// Numbers the units of an input whose chunks are cut before it is known how many stand before.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "input/chunk_reader.hpp"

namespace crivo::input {

/// Gives each unit a place, which is ordered as the input is, and when all chunks were seen turns
/// places into numbers from 0.
class ChunkNumbers {
 public:
  /// The place of unit `index` of a chunk. A chunk has fewer than 2^28 units (it has at most twice
  /// as many bytes as the longest unit), and an input fewer than 2^36 chunks (of 256 KiB, but at a
  /// file's end).
  static std::uint64_t place(const Chunk& chunk, std::uint64_t index) noexcept {
    return chunk.sequence << kIndexBits | index;
  }

  /// Forgets all chunks.
  void clear() { before_.clear(); }

  /// Notes the units of a chunk, once for each. From any thread.
  void note(const Chunk& chunk, std::uint64_t units) {
    const std::scoped_lock lock(mutex_);
    if (before_.size() <= chunk.sequence + 1) before_.resize(chunk.sequence + 2);
    before_[chunk.sequence + 1] = units;
  }

  /// Ends the noting: from here on numbers are known.
  void finish() {
    for (std::size_t i = 1; i < before_.size(); ++i) before_[i] += before_[i - 1];
  }
  /// Turns places into numbers. From any thread.
  void number(std::span<std::uint64_t> places) const noexcept {
    constexpr std::uint64_t kIndexMask = (std::uint64_t{1} << kIndexBits) - 1;
    for (std::uint64_t& place : places) {
      place = before_[place >> kIndexBits] + (place & kIndexMask);
    }
  }

 private:
  static constexpr unsigned kIndexBits = 28;

  std::mutex mutex_;
  std::vector<std::uint64_t> before_;  ///< units of chunk i - 1; after finish(), before chunk i
};

}  // namespace crivo::input
