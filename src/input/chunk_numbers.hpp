// SPDX-License-Identifier: Apache-2.0
/// Numbers the units of an input whose chunks are cut before it is known how many stand before.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "crivo/error.hpp"
#include "input/chunk_reader.hpp"

namespace crivo::input {

/// Gives each unit a place, which is ordered as the input is, and when all chunks were seen turns
/// places into numbers from 0.
class ChunkNumbers {
 public:
  explicit ChunkNumbers(std::size_t files)
      : chunk_bits_(64 - kIndexBits - std::max(1, static_cast<int>(std::bit_width(files)))),
        before_(files) {}

  /// The place of a chunk's first unit; that of unit `index` is so much more. A chunk has fewer
  /// than 2^28 units (it has at most twice as many bytes as the longest unit), and a file fewer
  /// than 2^36 chunks of 256 KiB over twice the number of files. Throws Error(bad_input) where it
  /// has more.
  std::uint64_t place(const Chunk& chunk) const {
    if (chunk.sequence >> chunk_bits_ != 0) {
      throw Error(ErrorKind::bad_input, "a file is too large to be read together with " +
                                            std::to_string(before_.size()) +
                                            " others; join some of them");
    }
    return (std::uint64_t{chunk.start.file} << chunk_bits_ | chunk.sequence) << kIndexBits;
  }

  /// Forgets all chunks.
  void clear() {
    for (auto& file : before_) file.clear();
  }

  /// Notes the units of a chunk, once for each. From any thread.
  void note(const Chunk& chunk, std::uint64_t units) {
    const std::scoped_lock lock(mutex_);
    std::vector<std::uint64_t>& file = before_[chunk.start.file];
    if (file.size() <= chunk.sequence) file.resize(chunk.sequence + 1);
    file[chunk.sequence] = units;
  }

  /// Returns the numbers that were noted, of each file: to go on from in another process.
  const std::vector<std::vector<std::uint64_t>>& noted() const noexcept { return before_; }
  /// Goes on from what noted() was, of as many files.
  void go_on_from(std::vector<std::vector<std::uint64_t>> noted) { before_ = std::move(noted); }

  /// Ends the noting: from here on numbers are known.
  void finish() {
    std::uint64_t sum = 0;
    for (auto& file : before_) {
      for (std::uint64_t& units : file) sum += std::exchange(units, sum);
    }
  }
  /// The number of a chunk's first unit.
  std::uint64_t number(std::size_t file, std::uint64_t sequence) const noexcept {
    return before_[file][sequence];
  }
  /// Turns places into numbers. From any thread.
  void number(std::span<std::uint64_t> places) const noexcept {
    constexpr std::uint64_t kIndexMask = (std::uint64_t{1} << kIndexBits) - 1;
    const std::uint64_t chunk_mask = (std::uint64_t{1} << chunk_bits_) - 1;
    for (std::uint64_t& place : places) {
      const std::uint64_t chunk = place >> kIndexBits;
      place = before_[chunk >> chunk_bits_][chunk & chunk_mask] + (place & kIndexMask);
    }
  }

 private:
  static constexpr int kIndexBits = 28;

  int chunk_bits_;
  std::mutex mutex_;
  std::vector<std::vector<std::uint64_t>> before_;  ///< of each file, the units of chunk i; after
                                                    ///< finish(), those before it in all
};

}  // namespace crivo::input
