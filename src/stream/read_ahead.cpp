// SPDX-License-Identifier: Apache-2.0
#include "stream/read_ahead.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

namespace crivo::stream {
namespace {

/// So many requests of some 64 KB keep a disk at its full rate.
constexpr unsigned kReaders = 4;

/// A batch of so many bytes is read ahead, however little memory there is.
constexpr std::uint64_t kLeastAhead = std::uint64_t{8} << 20;

std::uint64_t buffer_bytes(const std::vector<Extent>& extents) noexcept {
  std::uint64_t bytes = 0;
  for (const Extent& extent : extents) bytes += SpillLog::pages_of(extent).bytes;
  return bytes;
}

}  // namespace

struct ReadAhead::Batch {
  const std::vector<Extent>& extents;
  std::vector<std::byte*> places{};  ///< where the pages of each extent go
  Pieces pieces{};
  std::size_t begun = 0;  ///< extents that somebody reads or read
  std::size_t done = 0;
  bool asked = false;
  std::exception_ptr failure{};
};

ReadAhead::ReadAhead(const SpillLog& log, std::vector<std::vector<Extent>> batches,
                     std::uint64_t memory_bytes)
    : log_(log),
      extents_(std::move(batches)),
      memory_bytes_(memory_bytes),
      buffers_([] { return std::make_unique<base::PageBuffer>(); }),
      begun_in_(extents_.size()) {}

ReadAhead::~ReadAhead() {
  readers_.clear();  // they end before the buffers do
}

void ReadAhead::start_readers() {
  readers_started_.call([this] {
    try {
      for (unsigned i = 0; i < kReaders; ++i) {
        readers_.emplace_back([this](const std::stop_token& stop) { read_all(stop); });
      }
    } catch (const std::system_error&) {  // no more threads
    } catch (const std::bad_alloc&) {     // no room for more
    }
  });
}

std::shared_ptr<ReadAhead::Batch> ReadAhead::begin(std::uint64_t index) {
  const std::vector<Extent>& extents = extents_[index];
  auto batch = std::make_shared<Batch>(Batch{.extents = extents});
  batch->pieces.buffer = buffers_.take();
  base::PageBuffer& buffer = *batch->pieces.buffer;
  const std::uint64_t bytes = buffer_bytes(extents);
  if (buffer.size() < bytes) {
    buffer = base::PageBuffer();  // first the old one goes
    buffer = base::PageBuffer(bytes);
  }
  std::byte* place = buffer.data();
  for (const Extent& extent : extents) {
    const Extent pages = SpillLog::pages_of(extent);
    batch->places.push_back(place);
    batch->pieces.all.emplace_back(place + (extent.offset - pages.offset), extent.bytes);
    place += pages.bytes;
  }
  batches_.emplace(index, batch);
  if (!extents.empty()) queue_.push_back(batch);
  begun_in_[index] = pass_;
  return batch;
}

/// One that was begun, or else the next one, if there is room for it. One that is larger than all
/// that is read ahead is left to whoever asks for it, who may be none: equal keys are read by
/// parts.
std::shared_ptr<ReadAhead::Batch> ReadAhead::next_to_read() {
  while (!queue_.empty() && queue_.front()->begun == queue_.front()->extents.size()) {
    queue_.pop_front();
  }
  if (!queue_.empty()) return queue_.front();
  const auto most = std::max(memory_bytes_, kLeastAhead);
  std::uint64_t bytes = 0;
  for (; next_ < extents_.size(); ++next_) {
    bytes = buffer_bytes(extents_[next_]);
    if (begun_in_[next_] != pass_ && bytes != 0 && bytes <= most) break;
  }
  if (next_ == extents_.size()) return nullptr;
  if (ahead_bytes_ != 0 && ahead_bytes_ + bytes > memory_bytes_) return nullptr;
  std::shared_ptr<Batch> batch = begin(next_++);
  ahead_bytes_ += bytes;
  return batch;
}

/// Reads the next extent of a batch that has one; the lock is not held meanwhile.
void ReadAhead::read_extent(Batch& batch, std::unique_lock<std::mutex>& lock) noexcept {
  const std::size_t i = batch.begun++;
  lock.unlock();
  std::exception_ptr failure;
  try {
    log_.read(batch.extents[i], batch.places[i]);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  if (failure) batch.failure = failure;
  if (++batch.done == batch.extents.size()) read_.notify_all();
}

/// Drops batches that nobody asked for in the last pass.
void ReadAhead::begin_pass() noexcept {
  std::erase_if(batches_, [](const auto& batch) { return !batch.second->asked; });
  std::erase_if(queue_, [](const auto& batch) { return !batch->asked; });
  ahead_bytes_ = 0;
  ++pass_;
  next_ = 0;
}

void ReadAhead::read_all(const std::stop_token& stop) noexcept try {
  std::unique_lock lock(mutex_);
  std::shared_ptr<Batch> batch;
  while (room_.wait(lock, stop, [&] { return (batch = next_to_read()) != nullptr; })) {
    read_extent(*batch, lock);
    batch.reset();
  }
} catch (const std::bad_alloc&) {  // those who ask read for themselves, or find it so too
}

ReadAhead::Pieces ReadAhead::take(std::uint64_t index) {
  start_readers();
  std::unique_lock lock(mutex_);
  std::shared_ptr<Batch> batch;
  const auto found = batches_.find(index);
  if (found != batches_.end() && !found->second->asked) {
    batch = found->second;
    ahead_bytes_ -= buffer_bytes(batch->extents);
  } else {
    if (begun_in_[index] == pass_) begin_pass();
    batches_.erase(index);
    batch = begin(index);
    next_ = std::max(next_, index + 1);
  }
  batch->asked = true;
  room_.notify_all();
  while (batch->begun < batch->extents.size()) read_extent(*batch, lock);
  read_.wait(lock, [&] { return batch->done == batch->extents.size(); });
  const auto taken = batches_.find(index);
  if (taken != batches_.end() && taken->second == batch) batches_.erase(taken);
  if (batch->failure) std::rethrow_exception(batch->failure);
  return std::move(batch->pieces);
}

}  // namespace crivo::stream
