// SPDX-License-Identifier: Apache-2.0
/// The middle of the pipeline: hashes from many threads in, partitions out, within a budget of
/// memory.
#pragma once

#include <emmintrin.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "stream/block_arena.hpp"
#include "stream/hashed_value.hpp"
#include "stream/partition_store.hpp"
#include "stream/read_ahead.hpp"
#include "stream/spill_log.hpp"

#if defined(__SSE2__)
#endif

namespace crivo::stream {

/// Copies kBytes from `from` to `to`, both aligned to cache lines. Where the processor can, the
/// lines are written without being read first, and leave the caches to others; another thread sees
/// them once this one did a locked operation.
template <std::size_t kBytes>
[[gnu::always_inline]] inline void write_past_caches(void* to, const void* from) noexcept {
  static_assert(kBytes % 64 == 0);
#if defined(__SSE2__)
  auto* const target = static_cast<__m128i*>(to);
  const auto* const source = static_cast<const __m128i*>(from);
  for (std::size_t i = 0; i < kBytes / sizeof(__m128i); ++i) {
    _mm_stream_si128(target + i, _mm_load_si128(source + i));
  }
#else
  std::memcpy(to, from, kBytes);
#endif
}

/// Spilling begins when so large a part of the blocks is taken: what is full then is written while
/// the threads fill the rest, and what was written is theirs again.
inline constexpr std::uint64_t kSpillAt = 3;
inline constexpr std::uint64_t kSpillOf = 4;

struct StreamOptions {
  unsigned threads = 1;
  /// The bytes of hashed keys in memory, before they are spilled to a temporary file; at least
  /// least_stream_bytes().
  std::uint64_t memory_bytes = UINT64_MAX;
  std::filesystem::path temp_dir{};
  /// The file's name, where it is to outlive the process: then all is written to it. Empty: none.
  std::filesystem::path log_name{};
  /// 2^partition_bits partitions: see partition_bits_for().
  unsigned partition_bits = 11;
  /// Told from time to time how many hashed keys there are at least; what it throws goes through.
  std::function<void(std::uint64_t)> grown{};
  /// Told of the bytes that are spilled, as they are; must not throw.
  std::function<void(std::uint64_t)> spilled{};
};

/// How finely a stream of about n hashed keys is to be partitioned, so that a partition fits a
/// core's second-level cache and few sets pay for many partitions. 0 to 13; of UINT64_MAX, which
/// stands for a number that nobody knows, 11.
unsigned partition_bits_for(std::uint64_t n) noexcept;
/// The same of a stream that has so much memory for hashed keys of this size: where they are
/// spilled, less finely, so that what is written of a partition at once is long enough to be read
/// back at a disk's full rate.
unsigned partition_bits_for(std::uint64_t n, std::size_t hashed_bytes, unsigned threads,
                            std::uint64_t memory_bytes) noexcept;

/// The same, at most `bits`, of a stream of which a `share` at a time is written to a log
/// (KeyStream::log_all()).
unsigned logged_bits_for(std::uint64_t n, std::size_t hashed_bytes, double share,
                         std::uint64_t memory_bytes, unsigned bits) noexcept;

/// Returns the bytes that a stream of so many threads and partitions needs for its blocks in work.
std::uint64_t least_stream_bytes(unsigned threads, unsigned partition_bits) noexcept;

/// The counts once the last hashed key was added.
struct Totals {
  std::uint64_t hashed_keys = 0;          ///< repeats included
  std::vector<std::uint64_t> partitions;  ///< the hashed keys of each
  std::uint64_t value_bits = 0;           ///< an OR of all values
};

/// The content of a log with a name, once all of a stream was written to it.
struct LoggedStream {
  struct Partition {
    std::vector<Extent> extents;
    std::uint64_t check = 0;  ///< a sum over the hashed keys
  };
  std::vector<Partition> partitions;
  std::uint64_t log_bytes = 0;
  std::uint64_t value_bits = 0;  ///< as in Totals
};

/// Hashed keys (Hash128, HashedValue or PlacedValue) are scattered by the top bits of their hashes
/// into runs of blocks, for each thread its own. Where the blocks of the budget run short, full
/// ones are written to a temporary file, in the order of partitions, so that a partition is a few
/// long reads. What a partition holds does not depend on that, nor on threads.
template <typename HashedKey>
class KeyStream final : public PartitionStore<HashedKey> {
 public:
  using typename PartitionStore<HashedKey>::Runs;
  using typename PartitionStore<HashedKey>::UsePiece;
  using PartitionStore<HashedKey>::partitions;

  /// One thread's way in. A partition's last few hashed keys are staged in a line of their own,
  /// which is written to its block when it is full, past the caches: a thousand blocks in work do
  /// not fit the first-level cache, so that each hashed key alone would wait for a line of memory,
  /// only to overwrite it. (Whatever hands a writer or its blocks to another thread is a locked
  /// instruction, which x86 processors complete such writes before.)
  class Writer {
   public:
    [[gnu::always_inline]] void add(const HashedKey& hashed) {
      const std::uint64_t partition = hash_of(hashed).hi >> 1 >> shift_;
      Tail& tail = tails_[partition];
      if (tail.size == kBlockKeys) [[unlikely]] {
        start_block(tail, partition);
      }
      Line& line = lines_[partition];
      put(&line.hashed_keys[tail.size % kLineKeys], hashed);
      if constexpr (kHasValue<HashedKey>) value_bits_ |= hashed.value;
      ++tail.size;
      if (tail.size % kLineKeys == 0) {
        write_past_caches<sizeof(Line)>(tail.block + tail.size - kLineKeys, &line);
      } else if (tail.size == kBlockKeys) {
        write_last_line(tail, line);
      }
    }

   private:
    friend class KeyStream;
    static constexpr std::uint64_t kLineKeys = 8;
    struct alignas(64) Line {
      std::array<HashedKey, kLineKeys> hashed_keys;
    };
    /// A partition's block in work; full before the first.
    struct Tail {
      HashedKey* block = nullptr;
      std::uint64_t size = kBlockKeys;
    };
    struct FullBlock {
      HashedKey* data;
      std::uint32_t partition;
    };

    explicit Writer(KeyStream& stream)
        : stream_(stream),
          shift_(63 - stream.options_.partition_bits),
          tails_(stream.partitions()),
          lines_(stream.partitions()) {}
    /// One word of the hash, then the other. (gcc would make one store of 16 bytes out of two
    /// registers by way of the stack; the load from there waits for every store before it.)
    static void put(HashedKey* to, const HashedKey& hashed) noexcept {
      Hash128* const hash = reinterpret_cast<Hash128*>(to);  // a hashed key begins with it
      hash->hi = hash_of(hashed).hi;
      asm volatile("" ::: "memory");
      hash->lo = hash_of(hashed).lo;
      asm volatile("" ::: "memory");
      if constexpr (requires { hashed.place; }) to->place = hashed.place;
      if constexpr (kHasValue<HashedKey>) to->value = hashed.value;
    }
    void start_block(Tail& tail, std::uint64_t partition);
    /// Lets the spiller have the blocks that are full.
    void publish();
    /// Writes what is staged of a block that need not be full.
    static void write_last_line(const Tail& tail, const Line& line) noexcept {
      const std::uint64_t staged = tail.size % kLineKeys;
      std::copy_n(line.hashed_keys.begin(), staged, tail.block + tail.size - staged);
    }

    KeyStream& stream_;
    unsigned shift_;
    std::uint64_t value_bits_ = 0;  ///< those that any value has
    std::vector<Tail> tails_;
    std::vector<Line> lines_;
    std::span<std::byte> blocks_;   ///< at hand: whole ones, one after the other
    std::vector<FullBlock> ended_;  ///< since blocks were taken last: full, and nobody else's yet
    std::mutex mutex_;              ///< of full_
    std::vector<FullBlock> full_;
  };

  /// Throws Error(usage) if memory_bytes is less than least_stream_bytes().
  explicit KeyStream(StreamOptions options);
  KeyStream(const KeyStream&) = delete;
  KeyStream& operator=(const KeyStream&) = delete;

  /// The writer of a thread below `threads`; each is for one thread at a time.
  Writer& writer(unsigned thread) { return *writers_[thread]; }

  /// Writes all that was added to the log, which has a name, durably; the adding goes on
  /// afterwards. No thread adds meanwhile. Throws Error(io).
  LoggedStream log_all();
  /// Goes on from what log_all() returned, of as many partitions, before anything was added. Throws
  /// Error(corrupt) if the log is shorter, Error(io).
  void go_on_from(const LoggedStream& logged);

  /// Ends the adding. Once; what follows is for after it. Where anything was spilled, all is.
  Totals finish();

  unsigned partition_bits() const noexcept override { return options_.partition_bits; }
  /// Until release(). Throws Error(corrupt) where a log with a name does not hold what was written
  /// to it.
  Runs read(std::uint64_t partition) const override;
  /// In memory of its own of a MiB; what read() throws once all were used.
  void for_each_piece(std::uint64_t partition, const UsePiece& use) const override;
  /// False where they are not in memory.
  bool reorder(std::uint64_t partition, std::span<const HashedKey> hashed_keys) noexcept override;
  /// Returns the bytes that are in memory now, or are taken by reading what was spilled; the rest
  /// of the budget is whoever's that reads.
  std::uint64_t memory_bytes() const noexcept;
  void trim() const noexcept override {
    if (read_ahead_) read_ahead_->trim();
  }
  void release() noexcept override;

  /// The size of the temporary file.
  std::uint64_t temp_bytes() const noexcept { return log_.file_bytes(); }

 private:
  static constexpr std::size_t kBlockKeys = BlockArena::kBlockBytes / sizeof(HashedKey);

  std::uint64_t most_at_hand() const noexcept;
  std::span<std::byte> take_blocks();
  void note_growth(std::uint64_t blocks);
  bool has_spiller();
  void spill_when_asked(const std::stop_token& stop);
  void spill(std::unique_lock<std::mutex>& lock);
  void spill_full_blocks();
  void spill_runs();
  void append(std::uint64_t partition, const HashedKey* hashed_keys, std::size_t size);
  void end_spilling();
  void list_runs();
  std::uint64_t read_ahead_bytes() const noexcept;

  const StreamOptions options_;
  BlockArena arena_;
  std::atomic<std::uint64_t> taken_{0};  ///< blocks, by writers; those that were given back too
  std::vector<std::unique_ptr<Writer>> writers_;
  std::vector<std::vector<std::span<HashedKey>>> runs_;  ///< of each partition, in memory
  SpillLog log_;
  std::vector<std::vector<Extent>> extents_;  ///< of each partition, in the log; until finish()
  std::vector<std::uint64_t> checks_;         ///< of each partition, where the log has a name
  std::uint64_t value_bits_ = 0;              ///< of what another process added
  std::unique_ptr<ReadAhead> read_ahead_;     ///< of all of them, after it

  std::mutex spill_mutex_;  ///< of the four below
  std::condition_variable_any spill_wanted_;
  std::condition_variable block_freed_;
  bool spilling_ = false;
  std::exception_ptr spill_failure_;
  std::jthread spiller_;  ///< from the first time that memory runs short
};

}  // namespace crivo::stream
