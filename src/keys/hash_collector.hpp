/// Gathers hashes from many threads into partitions, then sorts each: the middle of the pipeline.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "crivo/hash.hpp"
#include "keys/run_exchange.hpp"
#include "keys/sorted_hashes.hpp"
#include "util/progress.hpp"

namespace crivo::keys {

/// Hashes are scattered by their top bits into runs, one list of runs a partition and thread, and
/// then sorted partition by partition within the same memory: about 16 bytes a hash, and under 3
/// MiB a thread. (Memory that is touched for the first time costs more than to move hashes in it.)
class HashCollector {
 public:
  static constexpr unsigned kPartitionBits = 9;
  static constexpr std::size_t kPartitions = std::size_t{1} << kPartitionBits;

  /// One thread's way in.
  class Writer {
   public:
    void add(Hash128 hash) {
      Tail& tail = tails_[hash.hi >> (64 - kPartitionBits)];
      if (tail.next == tail.end) [[unlikely]] {
        start_run(tail, hash.hi >> (64 - kPartitionBits));
      }
      *tail.next++ = hash;
    }

   private:
    friend class HashCollector;
    struct Tail {
      Hash128* next = nullptr;
      Hash128* end = nullptr;
    };

    explicit Writer(HashCollector& collector) : collector_(collector) {}
    void start_run(Tail& tail, std::uint64_t partition);

    HashCollector& collector_;
    std::array<Tail, kPartitions> tails_;
    std::array<std::vector<std::uint64_t>, kPartitions> blocks_;  ///< all full but the last
  };

  explicit HashCollector(unsigned threads);
  HashCollector(const HashCollector&) = delete;
  HashCollector& operator=(const HashCollector&) = delete;

  /// The writer of a thread below `threads`; each is for one thread at a time.
  Writer& writer(unsigned thread) { return *writers_[thread]; }

  struct Result {
    SortedHashes hashes;            ///< each distinct hash once
    std::uint64_t collected = 0;    ///< how many were added
    std::vector<Hash128> repeated;  ///< each hash that was added more than once; ascending
  };
  /// Sorts what was added and empties the collector. O(n) for hashes that are uniform in `hi`, and
  /// O(n log n) for any.
  Result sort(const util::BuildContext& context);

 private:
  std::uint64_t new_block();
  std::vector<Run> runs_of(std::size_t partition) const;

  std::vector<std::unique_ptr<Writer>> writers_;
  std::mutex mutex_;
  HashArray memory_;
  std::uint64_t blocks_ = 0;  ///< in use, from the first on
};

}  // namespace crivo::keys
