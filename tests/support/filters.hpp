// SPDX-License-Identifier: Apache-2.0
/// Filters of any type built and asked in memory, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <span>

#include "crivo/build/options.hpp"
#include "stream/sorted_hashes.hpp"
#include "structures/build/filter.hpp"
#include "structures/filter.hpp"

namespace crivo::test {

inline base::Bytes build_filter(const filter::Builder& type, const stream::SortedHashes& hashes,
                                const FilterOptions& options, unsigned threads = 1) {
  base::Progress progress;
  base::MemorySink sink;
  type.build(hashes, options, {threads, progress}, sink);
  return sink.take();
}

/// How many of `hashes` may be in the filter; the answers must be the same singly, inlined as
/// Filter has them, and in a batch.
inline std::uint64_t count_maybes(const filter::Membership& filter,
                                  std::span<const Hash128> hashes) {
  const auto answers = std::make_unique<bool[]>(hashes.size());
  filter.contains(hashes, answers.get());
  const detail::FilterLookup inlined = filter.lookup();
  std::uint64_t maybes = 0;
  std::uint64_t different = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const bool maybe = filter.contains(hashes[i]);
    different += maybe != answers[i] || maybe != inlined.contains(hashes[i]) ? 1 : 0;
    maybes += maybe ? 1 : 0;
  }
  EXPECT_EQ(different, 0U) << "answers that differ";
  return maybes;
}

}  // namespace crivo::test
