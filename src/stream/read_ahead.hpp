// SPDX-License-Identifier: Apache-2.0
/// Reads what is spilled before it is asked for.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/idle_pool.hpp"
#include "base/once.hpp"
#include "stream/spill_log.hpp"

namespace crivo::stream {

/// Batches of extents of a log, taken about in order, again and again. While one is in use, those
/// behind it are read on threads of this object's own, several extents at once, since a disk asked
/// for one piece after the other gives a fraction of its rate. Whoever asks for a batch that was
/// not read yet takes part in reading it, so that all works without those threads too.
class ReadAhead {
  using BufferPool = base::IdlePool<base::PageBuffer>;

 public:
  /// A batch in memory, which must die before the ReadAhead.
  struct Pieces {
    std::vector<std::span<const std::byte>> all;  ///< all[i] is extent i
    BufferPool::Handle buffer;                    ///< that they lie in
  };

  /// About `memory_bytes` are read ahead, or one batch of at most 8 MiB. The log is complete, and
  /// outlives this.
  ReadAhead(const SpillLog& log, std::vector<std::vector<Extent>> batches,
            std::uint64_t memory_bytes);
  ~ReadAhead();

  /// The batch, as often as is asked, from any thread: asking for one again is taken for the begin
  /// of another pass over all. Throws Error(io), std::bad_alloc.
  Pieces take(std::uint64_t index);
  const std::vector<Extent>& extents(std::uint64_t index) const noexcept { return extents_[index]; }
  /// Frees memory that no batch is in.
  void trim() noexcept { buffers_.clear(); }

 private:
  struct Batch;

  /// These are called, and return, with the mutex locked.
  std::shared_ptr<Batch> begin(std::uint64_t index);
  std::shared_ptr<Batch> next_to_read();
  void read_extent(Batch& batch, std::unique_lock<std::mutex>& lock) noexcept;
  void begin_pass() noexcept;

  void start_readers();
  void read_all(const std::stop_token& stop) noexcept;

  const SpillLog& log_;
  const std::vector<std::vector<Extent>> extents_;  ///< of each batch
  const std::uint64_t memory_bytes_;
  BufferPool buffers_;

  std::mutex mutex_;                  ///< of all below but the threads
  std::condition_variable_any room_;  ///< for readers: there may be something to read
  std::condition_variable read_;      ///< an extent was
  std::map<std::uint64_t, std::shared_ptr<Batch>> batches_;  ///< begun, and not taken
  std::deque<std::shared_ptr<Batch>> queue_;                 ///< those with extents to read
  std::uint64_t ahead_bytes_ = 0;                            ///< of batches nobody asked for
  std::uint64_t next_ = 0;                                   ///< the first that none read ahead
  std::uint32_t pass_ = 1;
  std::vector<std::uint32_t> begun_in_;  ///< the pass in which each batch was started last

  base::Once readers_started_;
  std::vector<std::jthread> readers_;
};

}  // namespace crivo::stream
