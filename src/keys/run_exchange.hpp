/// Puts partitions in order within the memory that their hashes were gathered in.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>
#include <queue>
#include <span>
#include <vector>

#include "crivo/hash.hpp"

namespace crivo::keys {

/// A part of a partition: the first `size` hashes of a block of memory.
struct Run {
  static constexpr std::uint64_t kMaxHashes = 256;  ///< a block: 4 KiB

  std::uint64_t block = 0;
  std::uint64_t size = 0;
};

/// Memory that is full of the partitions' runs, in any order, and is to hold the partitions one
/// after another. A thread that works on a partition copies its runs out with gather(), and so
/// frees their blocks; then it clears the partition's place with clear(), which moves the runs of
/// other partitions that are in the way to blocks that were freed.
///
/// All members may be called from any thread, if every partition up to the last one begun is
/// gathered by some thread that does not wait for another before. Then there always are, or will
/// be, free blocks enough: the partitions from the first to any other had at least as many blocks
/// as their places take.
class RunExchange {
 public:
  /// `runs` are those of each partition; together they have each of the `blocks` blocks at `memory`
  /// once.
  RunExchange(Hash128* memory, std::uint64_t blocks, std::vector<std::vector<Run>> runs);

  /// Copies a partition's hashes to `hashes`, which has their number. Once for each partition.
  void gather(std::size_t partition, std::span<Hash128> hashes);
  /// Makes place for the hashes numbered `begin` to `end` - 1 of the partitions in order, which
  /// must be a partition's that was gathered.
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

  Hash128* block(std::uint64_t index) noexcept { return memory_ + index * Run::kMaxHashes; }
  bool move_away(Content& content, std::uint64_t from);

  Hash128* memory_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::vector<Run>> runs_;
  std::vector<Content> contents_;
  /// The blocks that are free, and some that have become places since. The last first, which the
  /// places reach last.
  std::priority_queue<std::uint64_t> free_;
};

}  // namespace crivo::keys
