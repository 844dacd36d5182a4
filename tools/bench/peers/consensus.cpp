// SPDX-License-Identifier: Apache-2.0
// ConsensusRecSplit (github.com/ByteHamster/ConsensusRecSplit), k = 512 and 3 % over the least
// space.

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <iostream>

#include "ConsensusRecSplitQueryOptimized.h"
#include "peer.hpp"

namespace {

class Function {
 public:
  Function(const std::vector<std::uint64_t>& hashes, const crivo_bench_keys&)
      : function_(std::span<const std::uint64_t>(hashes)) {}
  std::uint64_t bits() const { return function_.getBits(); }
  std::uint64_t answer(std::uint64_t hash) const { return function_(hash); }
  static const char* refuses(const crivo_bench_keys&) { return nullptr; }

 private:
  consensus::ConsensusRecSplitQueryOptimized<512, 0.03> function_;
};

}  // namespace

extern "C" const crivo_bench_method* crivo_bench_methods(std::size_t* count) {
  static const crivo_bench_method kRow = peer::Method<Function>::row("Consensus-RecSplit k=512");
  *count = 1;
  return &kRow;
}
