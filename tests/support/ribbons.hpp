// SPDX-License-Identifier: Apache-2.0
/// Static functions and filters built in memory, for tests.
#pragma once

#include <cstdint>
#include <span>

#include "base/arithmetic.hpp"
#include "stream/sorted_hashes.hpp"
#include "structures/ribbon/build/builder.hpp"

namespace crivo::test {

/// The value that the tests give the key with index `index` in sorted order.
inline std::uint64_t test_value(std::uint64_t index, unsigned width) {
  return base::mix64(index + 1) >> (64 - width);
}

inline constexpr ribbon::HashPart kParts[] = {ribbon::HashPart::first_half,
                                              ribbon::HashPart::whole};

inline base::Bytes build_ribbon(const stream::HashSource& hashes, ribbon::Width width,
                                unsigned threads = 1,
                                ribbon::HashPart part = ribbon::HashPart::whole) {
  base::Progress progress;
  base::MemorySink sink;
  const auto assembly = ribbon::plan(
      hashes.size(), width,
      [bits = width.bits](std::span<const Hash128>, std::uint64_t first,
                          std::span<std::uint64_t> values) {
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = test_value(first + i, bits);
      },
      part);
  build(*assembly, hashes, {threads, progress}, sink);
  return sink.take();
}

}  // namespace crivo::test
