/// Puts partitions in order within the memory that their elements were gathered in.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>
#include <queue>
#include <span>
#include <vector>

#include "keys/hashed_value.hpp"

namespace crivo::keys {

/// A part of a partition: the first `size` elements of a block of memory.
struct Run {
  static constexpr std::uint64_t kMaxElements = 256;  ///< a block: 4 to 8 KiB

  std::uint64_t block = 0;
  std::uint64_t size = 0;
};

/// Memory that holds the partitions' runs, in any order, and is to hold what becomes of the
/// partitions, each in places of its own. A thread that works on a partition copies its runs out
/// with gather(), and so frees their blocks; then it clears the partition's places with clear(),
/// which moves the runs of other partitions that are in the way to blocks that are free.
///
/// All members may be called from any thread, if every partition up to the last one begun is
/// gathered by some thread that does not wait for another before, and if the blocks that these
/// partitions had, with those that were free from the beginning, are at least as many as their
/// places touch. Then there always are, or will be, free blocks enough.
template <typename Element>
class RunExchange {
 public:
  /// `runs` are those of each partition, each in a block of its own of the `blocks` at `memory`.
  RunExchange(Element* memory, std::uint64_t blocks, std::vector<std::vector<Run>> runs);

  /// Copies a partition's elements to `elements`, which has their number. Once for each
  /// partition.
  void gather(std::size_t partition, std::span<Element> elements);
  /// Makes place in the bytes `begin` to `end` - 1 of the memory, which must be a place of a
  /// partition that was gathered.
  void clear(std::uint64_t begin, std::uint64_t end);

 private:
  /// What is in a block: a run that waits, or one of these.
  static constexpr std::uint32_t kGathered = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kFree = kGathered - 1;
  static constexpr std::uint32_t kPlace = kGathered - 2;  ///< of a partition, or of two
  struct Content {
    std::uint32_t partition = kFree;
    std::uint32_t run = 0;  ///< index among the partition's
  };

  static constexpr std::uint64_t kBlockBytes = Run::kMaxElements * sizeof(Element);

  Element* block(std::uint64_t index) noexcept { return memory_ + index * Run::kMaxElements; }
  bool move_away(Content& content, std::uint64_t from);

  Element* memory_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::vector<Run>> runs_;
  std::vector<Content> contents_;
  /// The blocks that are free, and some that have become places since. The last first, which the
  /// places reach last.
  std::priority_queue<std::uint64_t> free_;
};

}  // namespace crivo::keys
