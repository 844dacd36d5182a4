// SPDX-License-Identifier: Apache-2.0
// BuRR (github.com/lorenzhs/BuRR): its filter and its static function, L = 64, its configurations
// for speed with four layers.

#include <stdexcept>

#include "peer.hpp"
#include "ribbon.hpp"
#include "sorter.cpp"  // whose own instances lack values of 24 bits

namespace {

struct Filter : ribbon::FastFilterConfig<8, std::uint64_t> {
  static constexpr bool log = false;
};
struct Retrieval : ribbon::FastRetrievalConfig<24, std::uint64_t> {
  static constexpr bool log = false;
};

constexpr unsigned kLayers = 4;
constexpr double kOverload = -4.0 / 64;  // its recommended -4 / L
constexpr std::size_t kSeed = 42;

template <typename Config>
class Ribbon {
 public:
  Ribbon(const std::vector<std::uint64_t>& hashes, const crivo_bench_keys& asked)
      : ribbon_(static_cast<std::size_t>(static_cast<double>(hashes.size()) * (1 + kOverload)),
                1 + kOverload, kSeed) {
    if constexpr (Config::kIsFilter) {
      std::vector<std::uint64_t> input = hashes;
      ribbon_.AddRange(input.data(), input.data() + input.size());
    } else {
      std::vector<std::pair<std::uint64_t, typename Config::ResultRow>> input(hashes.size());
      for (std::size_t i = 0; i < hashes.size(); ++i) {
        input[i] = {hashes[i], static_cast<typename Config::ResultRow>(asked.values[i])};
      }
      ribbon_.AddRange(input.data(), input.data() + input.size());
    }
    ribbon_.BackSubst();
  }
  std::uint64_t bits() const { return 8 * ribbon_.Size(); }
  std::uint64_t answer(std::uint64_t hash) const {
    if constexpr (Config::kIsFilter) {
      return ribbon_.QueryFilter(hash);
    } else {
      return ribbon_.QueryRetrieval(hash);
    }
  }
  static const char* refuses(const crivo_bench_keys& asked) {
    if constexpr (Config::kIsFilter) return peer::refuses_but_a_byte(asked);
    return asked.value_bits != 24 ? "values of 24 bits only" : nullptr;
  }

 private:
  ribbon::ribbon_filter<kLayers, Config> ribbon_;
};

}  // namespace

extern "C" const crivo_bench_method* crivo_bench_filters(std::size_t* count) {
  static const crivo_bench_method kRow = peer::Method<Ribbon<Filter>>::row("BuRR L=64");
  *count = 1;
  return &kRow;
}

extern "C" const crivo_bench_method* crivo_bench_maps(std::size_t* count) {
  static const crivo_bench_method kRow = peer::Method<Ribbon<Retrieval>>::row("BuRR L=64");
  *count = 1;
  return &kRow;
}
