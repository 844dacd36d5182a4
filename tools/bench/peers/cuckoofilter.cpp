// SPDX-License-Identifier: Apache-2.0
// cuckoofilter (github.com/efficient/cuckoofilter): fingerprints of 12 bits, four in a bucket, with
// its default hash of numbers.

#include "cuckoofilter.h"

#include <stdexcept>

#include "peer.hpp"

namespace {

class Cuckoo {
 public:
  Cuckoo(const std::vector<std::uint64_t>& hashes, const crivo_bench_keys&)
      : filter_(hashes.size()) {
    for (const std::uint64_t hash : hashes) {
      if (filter_.Add(hash) != cuckoofilter::Ok) throw std::runtime_error("not built");
    }
  }
  std::uint64_t bits() const { return 8 * filter_.SizeInBytes(); }
  std::uint64_t answer(std::uint64_t hash) const {
    return filter_.Contain(hash) == cuckoofilter::Ok;
  }
  static const char* refuses(const crivo_bench_keys& asked) {
    return asked.fpr < 8.0 / 4096 ? "fingerprints of 12 bits only" : nullptr;
  }

 private:
  cuckoofilter::CuckooFilter<std::uint64_t, 12> filter_;
};

}  // namespace

extern "C" const crivo_bench_method* crivo_bench_filters(std::size_t* count) {
  static const crivo_bench_method kRow = peer::Method<Cuckoo>::row("cuckoofilter");
  *count = 1;
  return &kRow;
}
