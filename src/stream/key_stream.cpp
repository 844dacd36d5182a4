// SPDX-License-Identifier: Apache-2.0
#include "stream/key_stream.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <system_error>
#include <utility>

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"

namespace crivo::stream {
namespace {

/// A sum over hashed keys, in any order, that a change of one of them changes.
template <typename HashedKey>
std::uint64_t check_sum(std::span<const HashedKey> hashed_keys) noexcept {
  std::uint64_t sum = 0;
  for (const HashedKey& hashed : hashed_keys) {
    const Hash128& hash = hash_of(hashed);
    std::uint64_t one = hash.hi * 0x9e3779b97f4a7c15U ^ std::rotl(hash.lo, 32);
    if constexpr (requires { hashed.place; }) {
      one = (one ^ hashed.place) * 0xd1b54a32d192ed03U;
    }
    if constexpr (kHasValue<HashedKey>) one = (one ^ hashed.value) * 0xd1b54a32d192ed03U;
    sum += base::mix64(one);
  }
  return sum;
}

}  // namespace

/// A block in work for each partition and thread, which cannot be spilled, is at most a third of
/// what may be taken before the spilling begins.
std::uint64_t least_stream_bytes(unsigned threads, unsigned partition_bits) noexcept {
  return (std::uint64_t{threads} << partition_bits) * kSpillOf * BlockArena::kBlockBytes;
}

template <typename HashedKey>
void KeyStream<HashedKey>::Writer::start_block(Tail& tail, std::uint64_t partition) {
  if (tail.block != nullptr) {
    ended_.push_back({tail.block, static_cast<std::uint32_t>(partition)});
    tail = {};
  }
  if (blocks_.empty()) {
    publish();
    blocks_ = stream_.take_blocks();
    stream_.note_growth(blocks_.size() / BlockArena::kBlockBytes);
  }
  tail = {reinterpret_cast<HashedKey*>(blocks_.data()), 0};
  blocks_ = blocks_.subspan(BlockArena::kBlockBytes);
}

/// Not block by block: a lock waits until all that was written past the caches is in memory.
template <typename HashedKey>
void KeyStream<HashedKey>::Writer::publish() {
  const std::scoped_lock lock(mutex_);
  full_.insert(full_.end(), ended_.begin(), ended_.end());
  ended_.clear();
}

template <typename HashedKey>
KeyStream<HashedKey>::KeyStream(StreamOptions options)
    : options_(std::move(options)),
      arena_(options_.memory_bytes),
      runs_(partitions()),
      log_(options_.temp_dir, options_.log_name),
      extents_(partitions()),
      checks_(options_.log_name.empty() ? 0 : partitions()) {
  if (options_.memory_bytes < least_stream_bytes(options_.threads, options_.partition_bits)) {
    throw Error(ErrorKind::usage, "too little memory for the partitions of a key stream");
  }
  for (unsigned t = 0; t < options_.threads; ++t) writers_.emplace_back(new Writer(*this));
}

template <typename HashedKey>
void KeyStream<HashedKey>::note_growth(std::uint64_t blocks) {
  constexpr std::uint64_t kNoteBlocks = 8192;
  const std::uint64_t before = taken_.fetch_add(blocks, std::memory_order_relaxed);
  if (before / kNoteBlocks == (before + blocks) / kNoteBlocks || !options_.grown) return;
  // Each thread has some at hand, and the last one of each partition may be all but empty.
  const std::uint64_t unused = (partitions() + most_at_hand()) * options_.threads;
  options_.grown((before - std::min(before, unused)) * kBlockKeys);
}

/// The blocks of one writer, begun or not, that nobody else knows of. All of a huge page where the
/// budget is ample: of two threads that touch one for the first time, each would have it cleared.
template <typename HashedKey>
std::uint64_t KeyStream<HashedKey>::most_at_hand() const noexcept {
  constexpr std::uint64_t kMost = (std::size_t{2} << 20) / BlockArena::kBlockBytes;
  constexpr std::uint64_t kShare = 64;  // of all blocks, at most one in so many waits in a writer
  return std::clamp<std::uint64_t>(arena_.blocks() / (kShare * options_.threads), 1, kMost);
}

/// For one writer.
template <typename HashedKey>
std::span<std::byte> KeyStream<HashedKey>::take_blocks() {
  const std::uint64_t most = most_at_hand();
  std::span<std::byte> blocks = arena_.take(most);
  const std::uint64_t reserve = arena_.blocks() / kSpillOf * (kSpillOf - kSpillAt);
  if (!blocks.empty() && arena_.available() >= reserve) return blocks;
  std::unique_lock lock(spill_mutex_);
  while (true) {
    if (spill_failure_) std::rethrow_exception(spill_failure_);
    if (!spilling_) {
      spilling_ = true;
      if (has_spiller()) {
        spill_wanted_.notify_one();
      } else {
        spill(lock);
      }
    }
    if (blocks.empty()) blocks = arena_.take(most);
    if (!blocks.empty()) return blocks;
    if (spilling_) block_freed_.wait(lock);  // some, or all of them, and others may have them
  }
}

/// Starts the spiller, if there is none; false if the system has no thread for it.
template <typename HashedKey>
bool KeyStream<HashedKey>::has_spiller() {
  if (spiller_.joinable()) return true;
  try {
    spiller_ = std::jthread([this](const std::stop_token& stop) { spill_when_asked(stop); });
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  return spiller_.joinable();
}

template <typename HashedKey>
void KeyStream<HashedKey>::spill_when_asked(const std::stop_token& stop) {
  std::unique_lock lock(spill_mutex_);
  while (spill_wanted_.wait(lock, stop, [&] { return spilling_; })) {
    spill(lock);
    if (spill_failure_) return;
  }
}

/// Spills while the lock is not held, and tells all who wait.
template <typename HashedKey>
void KeyStream<HashedKey>::spill(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  std::exception_ptr failure;
  try {
    spill_full_blocks();
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  spilling_ = false;
  spill_failure_ = failure;
  block_freed_.notify_all();
}

/// Those that are full now, in the order of partitions.
template <typename HashedKey>
void KeyStream<HashedKey>::spill_full_blocks() {
  std::vector<typename Writer::FullBlock> blocks;
  for (const auto& writer : writers_) {
    const std::scoped_lock lock(writer->mutex_);
    blocks.insert(blocks.end(), writer->full_.begin(), writer->full_.end());
    writer->full_.clear();
  }
  std::ranges::sort(blocks, {}, &Writer::FullBlock::partition);
  constexpr std::size_t kNotifyBlocks = 64;
  std::size_t given = 0;
  for (const auto& block : blocks) {
    append(block.partition, block.data, kBlockKeys);
    arena_.give_back(reinterpret_cast<std::byte*>(block.data));
    if (++given % kNotifyBlocks == 0) {
      const std::scoped_lock lock(spill_mutex_);
      block_freed_.notify_all();
    }
  }
}

/// To the log; runs of one partition, one after the other, become one extent.
template <typename HashedKey>
void KeyStream<HashedKey>::append(std::uint64_t partition, const HashedKey* hashed_keys,
                                  std::size_t size) {
  if (!checks_.empty()) checks_[partition] += check_sum(std::span(hashed_keys, size));
  std::vector<Extent>& extents = extents_[partition];
  const Extent extent =
      log_.append({reinterpret_cast<const std::byte*>(hashed_keys), size * sizeof(HashedKey)});
  if (options_.spilled) options_.spilled(extent.bytes);
  if (!extents.empty() && extents.back().offset + extents.back().bytes == extent.offset) {
    extents.back().bytes += extent.bytes;
  } else {
    extents.push_back(extent);
  }
}

/// Notes all that is in memory, by partition.
template <typename HashedKey>
void KeyStream<HashedKey>::list_runs() {
  std::vector<std::size_t> counts(partitions(), writers_.size());
  for (const auto& writer : writers_) {
    writer->publish();
    for (const auto& block : writer->full_) ++counts[block.partition];
  }
  for (std::uint64_t p = 0; p < partitions(); ++p) runs_[p].reserve(counts[p]);
  for (const auto& writer : writers_) {
    for (const auto& block : writer->full_) {
      runs_[block.partition].emplace_back(block.data, kBlockKeys);
    }
    for (std::uint64_t p = 0; p < partitions(); ++p) {
      const typename Writer::Tail& tail = writer->tails_[p];
      if (tail.block == nullptr) continue;
      if (tail.size != kBlockKeys) Writer::write_last_line(tail, writer->lines_[p]);
      runs_[p].emplace_back(tail.block, tail.size);
    }
  }
}

template <typename HashedKey>
void KeyStream<HashedKey>::end_spilling() {
  if (spiller_.joinable()) {
    spiller_.request_stop();
    spiller_.join();
  }
  if (spill_failure_) std::rethrow_exception(spill_failure_);
}

template <typename HashedKey>
LoggedStream KeyStream<HashedKey>::log_all() {
  end_spilling();
  spiller_ = {};
  list_runs();
  for (std::uint64_t p = 0; p < partitions(); ++p) {
    for (const auto run : runs_[p]) {
      append(p, run.data(), run.size());
      arena_.give_back(reinterpret_cast<std::byte*>(run.data()));
    }
    runs_[p].clear();
  }
  log_.sync();
  LoggedStream logged{std::vector<LoggedStream::Partition>(partitions()), log_.bytes(),
                      value_bits_};
  for (const auto& writer : writers_) {
    writer->full_.clear();
    std::ranges::fill(writer->tails_, typename Writer::Tail());
    logged.value_bits |= writer->value_bits_;
  }
  for (std::uint64_t p = 0; p < partitions(); ++p) logged.partitions[p] = {extents_[p], checks_[p]};
  return logged;
}

template <typename HashedKey>
void KeyStream<HashedKey>::go_on_from(const LoggedStream& logged) {
  log_.go_on_from(logged.log_bytes);
  value_bits_ = logged.value_bits;
  for (std::uint64_t p = 0; p < partitions(); ++p) {
    extents_[p] = logged.partitions[p].extents;
    checks_[p] = logged.partitions[p].check;
  }
}

template <typename HashedKey>
Totals KeyStream<HashedKey>::finish() {
  end_spilling();
  list_runs();
  Totals totals;
  totals.value_bits = value_bits_;
  for (const auto& writer : writers_) totals.value_bits |= writer->value_bits_;
  writers_.clear();
  totals.partitions.resize(partitions());
  for (std::uint64_t p = 0; p < partitions(); ++p) {
    std::uint64_t& size = totals.partitions[p];
    for (const auto run : runs_[p]) size += run.size();
    for (const Extent extent : extents_[p]) size += extent.bytes / sizeof(HashedKey);
    totals.hashed_keys += size;
  }
  if (log_.bytes() != 0) spill_runs();
  return totals;
}

template <typename HashedKey>
void KeyStream<HashedKey>::spill_runs() {
  for (std::uint64_t p = 0; p < partitions(); ++p) {
    for (const auto run : runs_[p]) append(p, run.data(), run.size());
    runs_[p].clear();
  }
  log_.flush();
  arena_.release();
  read_ahead_ = std::make_unique<ReadAhead>(log_, std::move(extents_), read_ahead_bytes());
}

/// Returns the share of the budget for reading ahead: enough for a disk that pauses now and then.
template <typename HashedKey>
std::uint64_t KeyStream<HashedKey>::read_ahead_bytes() const noexcept {
  constexpr std::uint64_t kMost = std::uint64_t{64} << 20;
  return std::min(options_.memory_bytes / 4, kMost);
}

template <typename HashedKey>
typename KeyStream<HashedKey>::Runs KeyStream<HashedKey>::read(std::uint64_t partition) const {
  if (!read_ahead_) return {{runs_[partition].begin(), runs_[partition].end()}, {}};
  ReadAhead::Pieces pieces = read_ahead_->take(partition);
  Runs runs{{}, std::shared_ptr<const void>(std::move(pieces.buffer))};
  for (const auto bytes : pieces.all) {
    runs.all.emplace_back(reinterpret_cast<const HashedKey*>(bytes.data()),
                          bytes.size() / sizeof(HashedKey));
  }
  if (!checks_.empty()) {
    std::uint64_t check = 0;
    for (const auto run : runs.all) check += check_sum(run);
    if (check != checks_[partition]) log_.fail_damaged();
  }
  return runs;
}

template <typename HashedKey>
void KeyStream<HashedKey>::for_each_piece(std::uint64_t partition, const UsePiece& use) const {
  if (!read_ahead_) {
    for (const std::span<const HashedKey> run : runs_[partition]) {
      if (!use(run)) return;
    }
    return;
  }
  constexpr std::uint64_t kPieceBytes =
      (std::uint64_t{1} << 20) / sizeof(HashedKey) * sizeof(HashedKey);
  base::PageBuffer pages(kPieceBytes + 2 * base::PageBuffer::kPage);
  std::uint64_t check = 0;
  for (const Extent& extent : read_ahead_->extents(partition)) {
    for (std::uint64_t begin = 0; begin < extent.bytes; begin += kPieceBytes) {
      const Extent piece{extent.offset + begin, std::min(kPieceBytes, extent.bytes - begin)};
      log_.read(piece, pages.data());
      const std::byte* const first =
          pages.data() + (piece.offset - SpillLog::pages_of(piece).offset);
      const std::span hashed_keys(reinterpret_cast<const HashedKey*>(first),
                                  piece.bytes / sizeof(HashedKey));
      if (!checks_.empty()) check += check_sum(hashed_keys);
      if (!use(hashed_keys)) return;
    }
  }
  if (!checks_.empty() && check != checks_[partition]) log_.fail_damaged();
}

template <typename HashedKey>
bool KeyStream<HashedKey>::reorder(std::uint64_t partition,
                                   std::span<const HashedKey> hashed_keys) noexcept {
  if (read_ahead_) return false;
  for (const std::span<HashedKey> run : runs_[partition]) {
    std::ranges::copy(hashed_keys.first(run.size()), run.begin());
    hashed_keys = hashed_keys.subspan(run.size());
  }
  return true;
}

template <typename HashedKey>
std::uint64_t KeyStream<HashedKey>::memory_bytes() const noexcept {
  if (read_ahead_) return read_ahead_bytes();
  return taken_.load(std::memory_order_relaxed) * BlockArena::kBlockBytes;
}

template <typename HashedKey>
void KeyStream<HashedKey>::release() noexcept {
  arena_.release();
  read_ahead_.reset();
}

template class KeyStream<Hash128>;
template class KeyStream<HashedValue>;
template class KeyStream<PlacedValue>;

}  // namespace crivo::stream
