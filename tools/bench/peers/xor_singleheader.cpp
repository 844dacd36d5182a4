// SPDX-License-Identifier: Apache-2.0
// xor_singleheader (github.com/FastFilter/xor_singleheader): 3-wise binary fuse filter.

#include <binaryfusefilter.h>

#include <stdexcept>

#include "peer.hpp"

namespace {

class Fuse {
 public:
  Fuse(std::vector<std::uint64_t> hashes, const crivo_bench_keys&) {
    const auto size = static_cast<std::uint32_t>(hashes.size());
    if (!binary_fuse8_allocate(size, &filter_) ||
        !binary_fuse8_populate(hashes.data(), size, &filter_)) {
      throw std::runtime_error("not built");
    }
  }
  ~Fuse() { binary_fuse8_free(&filter_); }
  std::uint64_t bits() const { return 8 * binary_fuse8_size_in_bytes(&filter_); }
  std::uint64_t answer(std::uint64_t hash) const { return binary_fuse8_contain(hash, &filter_); }
  static const char* refuses(const crivo_bench_keys& asked) {
    return peer::refuses_but_a_byte(asked);
  }

 private:
  binary_fuse8_t filter_{};
};

}  // namespace

extern "C" const crivo_bench_method* crivo_bench_filters(std::size_t* count) {
  static const crivo_bench_method kRow = peer::Method<Fuse>::row("xor_singleheader fuse 3-wise");
  *count = 1;
  return &kRow;
}
