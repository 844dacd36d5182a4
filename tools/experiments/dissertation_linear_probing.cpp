// SPDX-License-Identifier: Apache-2.0
#include "experiments/dissertation_linear_probing.hpp"

#include <vector>

#include "base/parallel.hpp"
#include "experiments/dictionaries/dictionary.hpp"
#include "experiments/dissertation.hpp"
#include "experiments/dissertation_mphf.hpp"
#include "experiments/probing_count.hpp"
#include "structures/classic/blocks.hpp"

namespace crivo::experiments {
namespace {

/// The collisions a key at each load in each run.
Json collide(Run& run, const KeySet& keys, const NamedHash& named) {
  const std::uint64_t runs = run.repetitions(50);
  std::vector<std::vector<double>> collisions(kLoads.size(), std::vector<double>(runs));
  base::parallel_for(run.threads(), (runs + kRunsASeed - 1) / kRunsASeed, [&](std::uint64_t seed) {
    const hashing::SeededHash hash = seeded(named, seed);
    std::vector<classic::Words> values(keys.size());
    for (std::uint64_t i = 0; i < keys.size(); ++i) values[i] = classic::words(hash(keys[i]), 0);
    std::vector<std::uint32_t> one(keys.size());
    for (std::uint64_t word = 0; word < kRunsASeed; ++word) {
      const std::uint64_t number = seed * kRunsASeed + word;
      if (number >= runs) break;
      for (std::uint64_t i = 0; i < keys.size(); ++i) one[i] = values[i][word];
      for (std::size_t load = 0; load < kLoads.size(); ++load) {
        const std::uint32_t slots = addresses_for(keys.size(), kLoads[load], keys.size() + 1);
        collisions[load][number] =
            static_cast<double>(probing_collisions(one, slots, named.range)) /
            static_cast<double>(keys.size());
      }
    }
  });
  Json json{{"keys", keys.size()}};
  for (std::size_t i = 0; i < kLoads.size(); ++i) json[report::fixed(kLoads[i], 2)] = collisions[i];
  return json;
}

void measure_linear_probing(Run& run) {
  for (const std::string set : kSets) {
    for (const NamedHash& hash : kNamedHashes) {
      run.step(collisions_step(set, hash),
               [&] { return collide(run, run.key_sets().named(set), hash); });
    }
  }
}

}  // namespace

std::string collisions_step(std::string_view set, const NamedHash& hash) {
  return std::string(set) + "/" + std::string(hash.symbol);
}

Experiment linear_probing_experiment() {
  return {
      "linear-probing",
      "The collisions of linear probing by load factor and hash function (dissertation, section "
      "4.2)",
      "As colisões do hashing linear por fator de carga e função hash (dissertação, seção 4.2)",
      measure_linear_probing, report_linear_probing};
}

}  // namespace crivo::experiments
