/// Static functions and filters built in memory, for tests.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "filter/filter.hpp"
#include "keys/sorted_hashes.hpp"
#include "ribbon/builder.hpp"
#include "support/hashes.hpp"
#include "util/bits.hpp"

namespace crivo::test {

/// The value that the tests give the key with index `index` in sorted order.
inline std::uint64_t test_value(std::uint64_t index, unsigned width) {
  return util::mix64(index + 1) >> (64 - width);
}

inline file::Bytes build_ribbon(const keys::SortedHashes& hashes, unsigned width,
                                unsigned threads = 1) {
  util::Progress progress;
  file::MemorySink sink;
  ribbon::build(
      hashes, width,
      [width](std::span<const Hash128>, std::uint64_t first, std::span<std::uint64_t> values) {
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = test_value(first + i, width);
      },
      {threads, progress}, sink);
  return sink.take();
}

inline file::Bytes build_filter(const keys::SortedHashes& hashes, unsigned bits,
                                unsigned threads = 1) {
  util::Progress progress;
  file::MemorySink sink;
  filter::types().front().build(hashes, bits, {threads, progress}, sink);
  return sink.take();
}

/// Sets of hashes that no hash function yields but a caller could give.
inline std::vector<std::vector<Hash128>> hostile_sets(std::uint64_t count) {
  std::vector<std::vector<Hash128>> sets(6, random_hashes(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    sets[0][i].hi = 0x0123456789abcdefU;         // one start
    sets[1][i].lo = 0x0123456789abcdefU;         // one row of coefficients
    sets[2][i].hi >>= 20;                        // one partition, one bucket
    sets[3][i].hi |= ~std::uint64_t{0} << 44;    // likewise the last
    sets[4][i] = {i, i};                         // little in either half
    sets[5][i] = {i << 44 | i >> 20, ~i << 32};  // counters in the high bits
  }
  return sets;
}

}  // namespace crivo::test
