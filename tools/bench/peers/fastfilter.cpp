// SPDX-License-Identifier: Apache-2.0
// fastfilter_cpp (github.com/FastFilter/fastfilter_cpp): 4-wise binary fuse filter and split-block
// Bloom filter, with its SimpleMixSplit over the hashes.

#include <algorithm>
#include <iostream>
#include <random>
#include <sstream>
using namespace std;  // its headers want it

#include "hashutil.h"
#include "peer.hpp"
using namespace hashing;
#include "bloom/simd-block-fixed-fpp.h"
#include "xorfilter/4wise_xor_binary_fuse_filter_lowmem.h"

namespace {

class Fuse {
 public:
  Fuse(const std::vector<std::uint64_t>& hashes, const crivo_bench_keys&) : filter_(hashes.size()) {
    filter_.AddAll(hashes.data(), 0, hashes.size());
  }
  std::uint64_t bits() const { return 8 * filter_.SizeInBytes(); }
  std::uint64_t answer(std::uint64_t hash) const {
    return filter_.Contain(hash) == xorbinaryfusefilter_lowmem4wise::Ok;
  }
  static const char* refuses(const crivo_bench_keys& asked) {
    return peer::refuses_but_a_byte(asked);
  }

 private:
  xorbinaryfusefilter_lowmem4wise::XorBinaryFuseFilter<std::uint64_t, std::uint8_t, SimpleMixSplit>
      filter_;
};

class SplitBlock {
 public:
  // As many bits a key as Crivo takes for 1 in 256; what is asked for is keys at 256 bits for 24.
  SplitBlock(const std::vector<std::uint64_t>& hashes, const crivo_bench_keys&)
      : filter_(static_cast<int>(12.845 * 24 / 256 * static_cast<double>(hashes.size()))) {
    filter_.AddAll(hashes, 0, hashes.size());
  }
  std::uint64_t bits() const { return 8 * filter_.SizeInBytes(); }
  std::uint64_t answer(std::uint64_t hash) const { return filter_.Find(hash); }
  static const char* refuses(const crivo_bench_keys& asked) {
    return peer::refuses_but_a_byte(asked);
  }

 private:
  SimdBlockFilterFixed<SimpleMixSplit> filter_;
};

}  // namespace

extern "C" const crivo_bench_method* crivo_bench_filters(std::size_t* count) {
  static const crivo_bench_method kRows[] = {
      peer::Method<Fuse>::row("fastfilter fuse 4-wise"),
      peer::Method<SplitBlock>::row("fastfilter split-block"),
  };
  *count = std::size(kRows);
  return kRows;
}
