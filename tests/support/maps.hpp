// SPDX-License-Identifier: Apache-2.0
/// Static functions of any algorithm built and asked in memory, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stream/sorted_hashes.hpp"
#include "structures/build/static_function.hpp"
#include "structures/static_function.hpp"

namespace crivo::test {

/// The section of a map that gives the i-th of `hashes` values[i].
inline base::Bytes build_map(const map::Builder& algorithm, const stream::SortedHashes& hashes,
                             const std::vector<std::uint64_t>& values,
                             const map::Parameters& parameters, unsigned threads = 1) {
  base::Progress progress;
  base::MemorySink sink;
  algorithm.build(
      hashes, parameters,
      [&](std::span<const Hash128>, std::uint64_t first, std::span<std::uint64_t> block) {
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), block.size(),
                    block.begin());
      },
      {threads, progress}, sink);
  return sink.take();
}

/// Whether every hash has its value, singly, as Map's own lookup finds it, and in a batch.
inline testing::AssertionResult answers(const map::StaticFunction& function,
                                        const stream::SortedHashes& hashes,
                                        const std::vector<std::uint64_t>& values) {
  if (function.size() != hashes.size()) {
    return testing::AssertionFailure() << "size " << function.size();
  }
  const auto all = hashes.partition(0, 0);
  std::vector<std::uint64_t> batch(all.size());
  function.values(all, batch.data());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (batch[i] != values[i]) return testing::AssertionFailure() << "batch at " << i;
    if (function.value(all[i]) != values[i])
      return testing::AssertionFailure() << "single at " << i;
    const detail::MapLookup inlined = function.lookup();
    if (inlined.value(inlined.function, all[i].hi, all[i].lo) != values[i])
      return testing::AssertionFailure() << "inlined at " << i;
  }
  return testing::AssertionSuccess();
}

}  // namespace crivo::test
