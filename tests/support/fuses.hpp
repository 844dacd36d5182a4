// SPDX-License-Identifier: Apache-2.0
/// Static functions on fuse graphs built in memory, for tests.
#pragma once

#include <cstdint>
#include <span>

#include "stream/sorted_hashes.hpp"
#include "structures/fuse/build/builder.hpp"
#include "support/ribbons.hpp"

namespace crivo::test {

inline base::Bytes build_fuse(const stream::SortedHashes& hashes, unsigned width, unsigned arity,
                              unsigned threads = 1) {
  base::Progress progress;
  base::MemorySink sink;
  const auto assembly = fuse::plan(
      hashes.size(), width, arity,
      [width](std::span<const Hash128>, std::uint64_t first, std::span<std::uint64_t> values) {
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = test_value(first + i, width);
      });
  build(*assembly, hashes, {threads, progress}, sink);
  return sink.take();
}

}  // namespace crivo::test
