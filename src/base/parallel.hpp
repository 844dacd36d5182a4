// SPDX-License-Identifier: Apache-2.0
/// Threads for batch work: run a function over a range of indices, in any order or with results in
/// order.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/arithmetic.hpp"

namespace crivo::base {

/// `asked`, or where that is 0 the number of cores; at most 1024.
inline unsigned thread_count(unsigned asked) noexcept {
  static const unsigned kCores = std::thread::hardware_concurrency();  // which reads a file
  if (asked == 0) asked = kCores;
  return std::clamp(asked, 1U, 1024U);
}

/// Runs `work(thread)` on `threads` threads (the caller is thread 0) and waits for all, or on as
/// many as the system lets start: which thread does what part must not be fixed beforehand. The
/// first exception thrown is thrown again here, after every thread has returned; `stop` (if given)
/// is set as soon as one is thrown, so that the others can leave early.
void run_threads(unsigned threads, const std::function<void(unsigned)>& work,
                 std::atomic<bool>* stop = nullptr);

/// Calls `work(index)` for every index in [0, count), each once, on up to `threads` threads. Each
/// thread has its own `work`, which begin(thread) returns.
template <typename Begin>
void parallel_with(unsigned threads, std::uint64_t count, Begin&& begin) {
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> stop{false};
  run_threads(
      threads,
      [&](unsigned thread) {
        auto work = begin(thread);
        while (!stop.load(std::memory_order_relaxed)) {
          const std::uint64_t i = next.fetch_add(1, std::memory_order_relaxed);
          if (i >= count) return;
          work(i);
        }
      },
      &stop);
}

/// Calls `work(index)` for every index in [0, count), each once, on up to `threads` threads.
template <typename Work>
void parallel_for(unsigned threads, std::uint64_t count, Work&& work) {
  if (threads > count) threads = static_cast<unsigned>(count);
  if (threads <= 1) {
    for (std::uint64_t i = 0; i < count; ++i) work(i);
    return;
  }
  parallel_with(threads, count, [&](unsigned) { return [&](std::uint64_t i) { work(i); }; });
}

/// Calls `work(begin, end)` for ranges of `length` indices (the last may be shorter) that together
/// are [0, count), each once, on up to `threads` threads.
template <typename Work>
void parallel_ranges(unsigned threads, std::uint64_t count, std::uint64_t length, Work&& work) {
  parallel_for(threads, base::div_ceil(count, length), [&](std::uint64_t range) {
    const std::uint64_t begin = range * length;
    work(begin, std::min(begin + length, count));
  });
}

/// Calls `consume(index, produce(index))` for every index in [0, count): `produce` on up to
/// `threads` threads at once, `consume` one call at a time and in ascending order. At most 4 *
/// `threads` results wait, so memory stays bounded. This is how a parallel build writes the bytes
/// of a serial one.
template <typename Produce, typename Consume>
void parallel_ordered(unsigned threads, std::uint64_t count, Produce&& produce, Consume&& consume) {
  if (threads > count) threads = static_cast<unsigned>(count);
  if (threads <= 1) {
    for (std::uint64_t i = 0; i < count; ++i) consume(i, produce(i));
    return;
  }
  using Result = decltype(produce(std::uint64_t{}));
  std::mutex mutex;
  std::condition_variable room;
  std::map<std::uint64_t, Result> waiting;
  std::uint64_t next_in = 0;
  std::uint64_t next_out = 0;
  bool draining = false;
  bool failed = false;
  auto worker = [&](unsigned) {
    try {
      while (true) {
        std::unique_lock lock(mutex);
        room.wait(lock,
                  [&] { return failed || next_in >= count || next_in < next_out + 4U * threads; });
        if (failed || next_in >= count) return;
        const std::uint64_t index = next_in++;
        lock.unlock();
        Result result = produce(index);
        lock.lock();
        waiting.emplace(index, std::move(result));
        if (draining) continue;
        draining = true;
        for (auto it = waiting.begin(); !failed && it != waiting.end() && it->first == next_out;
             it = waiting.begin()) {
          Result ready = std::move(it->second);
          waiting.erase(it);
          lock.unlock();
          consume(next_out, std::move(ready));
          lock.lock();
          ++next_out;
          room.notify_all();
        }
        draining = false;
      }
    } catch (...) {
      const std::scoped_lock lock(mutex);
      failed = true;
      room.notify_all();
      throw;
    }
  };
  run_threads(threads, std::ref(worker));
}

/// So many bytes, for what waits between two steps: a step that gets none does its work later.
class ByteRoom {
 public:
  explicit ByteRoom(std::uint64_t bytes) noexcept : left_(bytes) {}

  /// Whether there were so many left, which are taken then.
  bool take(std::uint64_t bytes) noexcept {
    std::uint64_t left = left_.load(std::memory_order_relaxed);
    do {
      if (bytes > left) return false;
    } while (!left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed));
    return true;
  }
  void give_back(std::uint64_t bytes) noexcept {
    left_.fetch_add(bytes, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> left_;
};

/// parallel_ordered() where what waits for its turn takes at most `bytes`, too: produce(index,
/// has_room) returns an optional result, if has_room(its bytes) is true, which it asks once. What
/// there was no room for is done when its turn comes, by one thread: consume(index, nullopt) does
/// it. So neither the number of the threads nor that of the results decides about the memory.
template <typename Produce, typename Consume>
void parallel_ordered_within(unsigned threads, std::uint64_t count, std::uint64_t bytes,
                             Produce&& produce, Consume&& consume) {
  ByteRoom room(bytes);
  const auto produced = [&](std::uint64_t index) {
    std::uint64_t taken = 0;
    auto result = produce(index, [&](std::uint64_t asked) {
      if (!room.take(asked)) return false;
      taken += asked;
      return true;
    });
    return std::pair(std::move(result), taken);
  };
  parallel_ordered(threads, count, produced, [&](std::uint64_t index, auto made) {
    consume(index, std::move(made.first));
    made.first.reset();
    room.give_back(made.second);
  });
}

}  // namespace crivo::base
