// SPDX-License-Identifier: Apache-2.0
#include "experiments/dissertation_fch_buckets.hpp"

#include <algorithm>
#include <array>

#include "base/parallel.hpp"
#include "experiments/dissertation.hpp"
#include "structures/classic/blocks.hpp"
#include "structures/classic/fch_mapping.hpp"

namespace crivo::experiments {
namespace {

std::vector<std::uint64_t> sizes_to_map(Run& run) {
  const std::uint64_t keys = run.key_sets().words().size();
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t n = run.full() ? 50'000 : 625;
       n <= (run.full() ? 6'400'000U : 80'000U) && n < keys; n *= 2) {
    sizes.push_back(n);
  }
  sizes.push_back(keys);
  return sizes;
}

/// How many buckets have 0, 1, 2, ... of the first `keys` values.
std::vector<std::uint64_t> distribution(const std::vector<classic::Words>& values,
                                        std::uint64_t word, std::uint64_t keys,
                                        classic::Range range) {
  const std::uint32_t buckets = classic::fch_buckets(keys);
  const classic::FchMapping mapping(range, static_cast<std::uint32_t>(keys), buckets);
  std::vector<std::uint32_t> sizes(buckets);
  for (std::uint64_t i = 0; i < keys; ++i) ++sizes[mapping.bucket(values[i][word])];
  std::vector<std::uint64_t> counts(std::size_t{*std::ranges::max_element(sizes)} + 1);
  for (const std::uint32_t size : sizes) ++counts[size];
  return counts;
}

Json map_words(Run& run, const NamedHash& named, const std::vector<std::uint64_t>& sizes) {
  const std::uint64_t runs = run.repetitions(50);
  const KeySet& words = run.key_sets().words();
  std::vector<Json> all(runs, Json::object());
  base::parallel_for(run.threads(), (runs + kRunsASeed - 1) / kRunsASeed, [&](std::uint64_t seed) {
    const hashing::SeededHash hash = seeded(named, seed);
    std::vector<classic::Words> values(words.size());
    for (std::uint64_t i = 0; i < words.size(); ++i) values[i] = classic::words(hash(words[i]), 0);
    for (std::uint64_t word = 0; word < kRunsASeed && seed * kRunsASeed + word < runs; ++word) {
      for (const std::uint64_t keys : sizes) {
        all[seed * kRunsASeed + word][std::to_string(keys)] =
            distribution(values, word, keys, named.range);
      }
    }
  });
  return {{"runs", all}};
}

void measure_fch_buckets(Run& run) {
  const Json sizes = run.step("sizes", [&]() -> Json { return {{"keys", sizes_to_map(run)}}; });
  for (const NamedHash& hash : kNamedHashes) {
    run.step(buckets_step(hash), [&] {
      return map_words(run, hash, sizes.at("keys").get<std::vector<std::uint64_t>>());
    });
  }
}

}  // namespace

std::vector<std::uint64_t> bucket_sizes(const Results& results) {
  return results["sizes"].at("keys").get<std::vector<std::uint64_t>>();
}

std::string buckets_step(const NamedHash& hash) {
  return std::string(hash.symbol);
}

Experiment fch_buckets_experiment() {
  return {"fch-buckets", "The buckets of FCH (dissertation, Figures 4.3 and 4.4)",
          "Os buckets do FCH (dissertação, Figuras 4.3 e 4.4)", measure_fch_buckets,
          report_fch_buckets};
}

}  // namespace crivo::experiments
