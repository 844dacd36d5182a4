// SPDX-License-Identifier: Apache-2.0
// PTHash (github.com/jermp/pthash) as its README builds it (Example 1), and as src/example.cpp does
// (PHOBIC).

#include "pthash.hpp"

#include "peer.hpp"

namespace {

/// Takes a key's hash as it is, as the other peers do whose keys are hashes.
struct Prepared {
  using hash_type = pthash::hash64;
  static pthash::hash64 hash(std::uint64_t hash, std::uint64_t seed) { return hash ^ seed; }
};

using Partitioned =
    pthash::partitioned_phf<Prepared, pthash::skew_bucketer, pthash::dictionary_dictionary, true>;
using Dense = pthash::dense_partitioned_phf<Prepared, pthash::opt_bucketer, pthash::R_int, true>;

pthash::build_configuration configuration_of(const Partitioned&) {
  pthash::build_configuration config;
  config.lambda = 4.3;
  config.alpha = 0.99;
  config.avg_partition_size = 2'000'000;
  return config;
}

pthash::build_configuration configuration_of(const Dense&) {
  pthash::build_configuration config;
  config.lambda = 5;
  config.alpha = 0.97;
  config.dense_partitioning = true;
  return config;
}

template <typename Built>
class Function {
 public:
  Function(const std::vector<std::uint64_t>& hashes, const crivo_bench_keys&) {
    auto config = configuration_of(function_);
    config.seed = 0;
    config.verbose = false;
    function_.build_in_internal_memory(hashes.begin(), hashes.size(), config);
  }
  std::uint64_t bits() const { return function_.num_bits(); }
  std::uint64_t answer(std::uint64_t hash) const { return function_(hash); }
  static const char* refuses(const crivo_bench_keys&) { return nullptr; }

 private:
  Built function_;
};

}  // namespace

extern "C" const crivo_bench_method* crivo_bench_methods(std::size_t* count) {
  static const crivo_bench_method kRows[] = {
      peer::Method<Function<Partitioned>>::row("PTHash D-D"),
      peer::Method<Function<Dense>>::row("PTHash R-int, dense")};
  *count = 2;
  return kRows;
}
