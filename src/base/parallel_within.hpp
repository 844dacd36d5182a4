// SPDX-License-Identifier: Apache-2.0
/// Results in order whose sizes are known only when they are at hand.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/byte_room.hpp"
#include "base/parallel.hpp"

namespace crivo::base {

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
