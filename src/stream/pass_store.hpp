// SPDX-License-Identifier: Apache-2.0
/// The partitions of a stream of which only a range at a time has room: each range takes a reading
/// of the input.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "stream/hash_source.hpp"
#include "stream/key_stream.hpp"
#include "stream/partition_store.hpp"

namespace crivo::stream {

/// Runs of partitions, one of which is in a KeyStream. What reads partitions in order reads the
/// input once for each run; any other order is right, too, and takes more readings.
template <typename HashedKey>
class PassStore final : public PartitionStore<HashedKey> {
 public:
  using typename PartitionStore<HashedKey>::Runs;
  using typename PartitionStore<HashedKey>::UsePiece;
  using PartitionStore<HashedKey>::partitions;

  /// Reads the input, and adds the hashed keys of the run's partitions to the stream.
  using ReadInput = std::function<void(KeyStream<HashedKey>& stream, const PartitionRun& run)>;

  /// `passes` runs, or as many as there are partitions. The first is read at once.
  PassStore(StreamOptions options, std::uint64_t passes, ReadInput read_input)
      : options_(std::move(options)), read_input_(std::move(read_input)) {
    passes_ = std::clamp<std::uint64_t>(passes, 1, partitions());
    read_run(0);
  }

  unsigned partition_bits() const noexcept override { return options_.partition_bits; }

  Runs read(std::uint64_t partition) const override {
    const auto hold = hold_run_of(partition);
    Runs runs = stream_->read(partition);
    runs.memory = std::make_shared<const Memory>(Memory{hold, std::move(runs.memory)});
    return runs;
  }

  void for_each_piece(std::uint64_t partition, const UsePiece& use) const override {
    const auto hold = hold_run_of(partition);
    stream_->for_each_piece(partition, use);
  }

  void trim() const noexcept override {
    const std::scoped_lock lock(mutex_);
    if (stream_) stream_->trim();
  }
  void release() noexcept override { stream_.reset(); }

  /// Returns what KeyStream::memory_bytes() does of the run at hand.
  std::uint64_t memory_bytes() const noexcept { return stream_->memory_bytes(); }
  /// The largest temporary file so far.
  std::uint64_t temp_bytes() const noexcept { return temp_bytes_; }

 private:
  struct Hold {
    explicit Hold(const PassStore& of) : store(of) {}
    ~Hold() { store.let_go(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    const PassStore& store;
  };
  struct Memory {
    std::shared_ptr<const Hold> hold;
    std::shared_ptr<const void> of_stream;
  };

  PartitionRun run_of(std::uint64_t pass) const noexcept {
    return {pass * partitions() / passes_, (pass + 1) * partitions() / passes_};
  }

  /// Has the run of a partition stay until the last hold of it is gone.
  std::shared_ptr<const Hold> hold_run_of(std::uint64_t partition) const {
    std::unique_lock lock(mutex_);
    while (partition < run_.begin || partition >= run_.end) {
      if (!wait_for_others(lock)) continue;
      read_run(((partition + 1) * passes_ - 1) / partitions());  // run_of(), the other way round
    }
    if (!is_read_[partition - run_.begin]) {
      is_read_[partition - run_.begin] = true;
      --unread_;
    }
    ++holds_;
    return std::make_shared<const Hold>(*this);
  }

  /// Waits until nobody holds the run. False if it was changed meanwhile. Who reads in order with
  /// other threads waits for those that are about to read what is left of the run, which would cost
  /// two readings if it went; but not for long, as they may never come.
  bool wait_for_others(std::unique_lock<std::mutex>& lock) const {
    constexpr std::chrono::milliseconds kPatience{50};
    const PartitionRun before = run_;
    changed_.wait_for(lock, kPatience, [&] { return unread_ == 0 || run_ != before; });
    changed_.wait(lock, [&] { return holds_ == 0 || run_ != before; });
    return run_ == before;
  }

  void let_go() const noexcept {
    const std::scoped_lock lock(mutex_);
    --holds_;
    changed_.notify_all();
  }

  /// With the lock, and no hold.
  void read_run(std::uint64_t pass) const {
    stream_.reset();  // its memory and its file, before those of the next
    run_ = {0, 0};    // until it is read: that may throw
    unread_ = 0;
    const PartitionRun run = run_of(pass);
    stream_ = std::make_unique<KeyStream<HashedKey>>(options_);
    read_input_(*stream_, run);
    stream_->finish();
    temp_bytes_ = std::max(temp_bytes_, stream_->temp_bytes());
    run_ = run;
    unread_ = run.size();
    is_read_.assign(run.size(), false);
    changed_.notify_all();
  }

  const StreamOptions options_;
  const ReadInput read_input_;
  std::uint64_t passes_ = 1;

  mutable std::mutex mutex_;  ///< of what follows
  mutable std::condition_variable changed_;
  mutable std::unique_ptr<KeyStream<HashedKey>> stream_;
  mutable PartitionRun run_;  ///< in `stream_`
  mutable std::vector<bool> is_read_;
  mutable std::uint64_t unread_ = 0;
  mutable std::uint64_t holds_ = 0;
  mutable std::uint64_t temp_bytes_ = 0;
};

}  // namespace crivo::stream
