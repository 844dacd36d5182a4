// SPDX-License-Identifier: Apache-2.0
/// Results in order whose sizes are known only when they are at hand.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/parallel.hpp"

namespace crivo::base {

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
