/// Gathers hashes from many threads into partitions, then sorts each: the middle of the pipeline.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "keys/hashed_value.hpp"
#include "keys/partition_sort.hpp"
#include "keys/run_exchange.hpp"
#include "keys/sorted_hashes.hpp"
#include "keys/sorted_values.hpp"
#include "util/hash128.hpp"
#include "util/progress.hpp"

namespace crivo::keys {

/// What was collected, in order.
struct Collected {
  SortedHashes hashes;            ///< each distinct hash once
  SortedValues values;            ///< of the hashes: of equal ones, that of the first element
  std::uint64_t collected = 0;    ///< how many elements were added
  std::vector<Hash128> repeated;  ///< each hash that was added more than once; ascending
};

/// Turns values, each by itself, into others that are below the number of elements collected.
/// Values of one hash keep their order. Called from several threads at once.
using NumberValues = std::function<void(std::span<std::uint64_t> values)>;

/// Elements (Hash128, HashedValue or PlacedValue) are scattered by the top bits of their hashes
/// into runs, one list of runs a partition and thread, and then sorted partition by partition
/// within the same memory: that of the elements, and under 5 MiB a thread. (Memory that is touched
/// for the first time costs more than to move hashes in it.)
template <typename Element>
class Collector {
 public:
  static constexpr unsigned kPartitionBits = 9;
  static constexpr std::size_t kPartitions = std::size_t{1} << kPartitionBits;

  /// One thread's way in.
  class Writer {
   public:
    [[gnu::always_inline]] void add(const Element& element) {
      const std::uint64_t partition = hash_of(element).hi >> (64 - kPartitionBits);
      Tail& tail = tails_[partition];
      if (tail.next == tail.end) [[unlikely]] {
        start_run(tail, partition);
      }
      put(tail.next++, element);
      if constexpr (kHasValue<Element>) value_bits_ |= element.value;
    }

   private:
    friend class Collector;
    struct Tail {
      Element* next = nullptr;
      Element* end = nullptr;
    };

    explicit Writer(Collector& collector) : collector_(collector) {}
    /// One word of the hash, then the other. (gcc would make one store of 16 bytes out of two
    /// registers by way of the stack; the load from there waits for every store before it, among
    /// them scattered ones that miss all caches: a fifth of a whole build.)
    static void put(Element* to, const Element& element) noexcept {
      Hash128* const hash = reinterpret_cast<Hash128*>(to);  // an element begins with it
      hash->hi = hash_of(element).hi;
      asm volatile("" ::: "memory");
      hash->lo = hash_of(element).lo;
      asm volatile("" ::: "memory");
      if constexpr (requires { element.place; }) to->place = element.place;
      if constexpr (kHasValue<Element>) to->value = element.value;
    }
    void start_run(Tail& tail, std::uint64_t partition);

    Collector& collector_;
    std::uint64_t value_bits_ = 0;  ///< those that any value has
    std::array<Tail, kPartitions> tails_;
    std::array<std::vector<std::uint64_t>, kPartitions> blocks_;  ///< all full but the last
  };

  /// `grown` (if any) is told, each time before more memory is taken, how many elements there are
  /// at least; what it throws goes through.
  explicit Collector(unsigned threads, std::function<void(std::uint64_t)> grown = {});
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  /// The writer of a thread below `threads`; each is for one thread at a time.
  Writer& writer(unsigned thread) { return *writers_[thread]; }

  using Result = Collected;
  /// Sorts what was added and empties the collector. Values are turned by `number` if there is one.
  /// O(n) for hashes that are uniform in `hi`, and O(n log n) for any.
  Result sort(const util::BuildContext& context, const NumberValues& number = {});

 private:
  struct Part {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
    std::uint64_t distinct = 0;
    std::uint64_t value_bits = 0;
    std::vector<Hash128> repeated;
  };
  /// Where in memory_ the hashes' values go.
  struct ValuePlace {
    std::byte* data = nullptr;
    unsigned bytes = 0;  ///< of a value: 1, 2, 4 or 8
  };

  /// What a thread sorts in: room for the largest partition.
  struct Room {
    explicit Room(std::uint64_t size)
        : gathered(size), sorted(kHasValue<Element> ? size : 0), values(sorted.size()) {}

    PartitionSort<Element> sort{kPartitionBits};
    std::vector<Element> gathered;
    std::vector<Element> sorted;  ///< none for hashes alone, which are sorted into their place
    std::vector<std::uint64_t> values;
  };

  std::uint64_t new_block();
  std::vector<Run> runs_of(std::size_t partition) const;
  ValuePlace place_values(std::uint64_t collected, bool numbered);
  void sort_partition(std::size_t p, Part& part, RunExchange<Element>& exchange, Room& room,
                      const ValuePlace& values, const NumberValues& number);

  std::function<void(std::uint64_t)> grown_;
  std::vector<std::unique_ptr<Writer>> writers_;
  std::mutex mutex_;
  HashArray memory_;
  std::uint64_t blocks_ = 0;  ///< in use, from the first on
};

using HashCollector = Collector<Hash128>;

}  // namespace crivo::keys
