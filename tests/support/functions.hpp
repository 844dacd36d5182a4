// SPDX-License-Identifier: Apache-2.0
/// What holds of every minimal perfect hash function.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "crivo/error.hpp"
#include "hashing/hash128.hpp"
#include "structures/mphf.hpp"
#include "support/inlined_rank.hpp"

namespace crivo::test {

/// Whether the hashes get the values 0, 1, ..., n - 1, each once, from every interface.
inline testing::AssertionResult is_bijection(const mphf::Function& function,
                                             const std::vector<Hash128>& hashes) {
  if (function.size() != hashes.size()) {
    return testing::AssertionFailure() << "size " << function.size();
  }
  std::vector<std::uint64_t> ranks(hashes.size());
  function.ranks(hashes, ranks.data());
  std::vector<bool> seen(hashes.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const std::uint64_t rank = function.rank(hashes[i]);
    if (rank != ranks[i]) return testing::AssertionFailure() << "batch and single differ at " << i;
    if (rank != inlined_rank(function, hashes[i])) {
      return testing::AssertionFailure() << "inlined and single differ at " << i;
    }
    if (rank >= hashes.size()) return testing::AssertionFailure() << "rank " << rank << " at " << i;
    if (seen[rank]) return testing::AssertionFailure() << "rank " << rank << " occurs twice";
    seen[rank] = true;
  }
  return testing::AssertionSuccess();
}

/// Opens `section` from memory of just its size, so that AddressSanitizer sees a read past either
/// end, and, if it opens, asks for `probes`. Returns whether it opened.
template <typename Open>
bool survives(Open&& open, const base::Bytes& section, const std::vector<Hash128>& probes) {
  const auto copy = std::make_unique<std::byte[]>(section.size());
  std::ranges::copy(section, copy.get());
  std::unique_ptr<const mphf::Function> function;
  try {
    function = open(base::ByteView{copy.get(), section.size()});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::corrupt);
    EXPECT_NE(std::string(error.what()).find("mphf section: "), std::string::npos);
    return false;
  }
  const std::uint64_t limit = std::max<std::uint64_t>(function->size(), 1);
  std::vector<std::uint64_t> ranks(probes.size());
  function->ranks(probes, ranks.data());
  for (std::size_t i = 0; i < probes.size(); ++i) {
    EXPECT_LT(ranks[i], limit);
    EXPECT_EQ(ranks[i], function->rank(probes[i]));
    EXPECT_EQ(ranks[i], inlined_rank(*function, probes[i]));
  }
  return true;
}

}  // namespace crivo::test
