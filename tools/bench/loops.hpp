/// The timed loops of peer.h, around any way to look a key up.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/peer.h"

namespace crivo::bench {

/// ranks[i] = rank(i) for each of the keys.
template <typename Rank>
void look_up_each(const crivo_bench_keys& keys, std::uint64_t* ranks, Rank&& rank) {
  for (std::size_t i = 0; i < keys.count; ++i) ranks[i] = rank(i);
}

/// The same, but which key is next is known only when the rank is.
template <typename Rank>
void look_up_dependent(const crivo_bench_keys& keys, std::uint64_t* ranks, Rank&& rank) {
  for (std::size_t i = 0; i < keys.count;) {
    const std::uint64_t found = rank(i);
    ranks[i] = found;
    i += 1 + (found >> 63);
  }
}

}  // namespace crivo::bench
