// SPDX-License-Identifier: Apache-2.0
#include "experiments/dissertation_mphf.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "experiments/dictionaries/linear_probing.hpp"
#include "experiments/dissertation.hpp"
#include "experiments/searching.hpp"
#include "experiments/statistics.hpp"
#include "experiments/stopwatch.hpp"

namespace crivo::experiments {
namespace {

constexpr std::uint64_t kMaxCollisions = 20'000'000;  ///< more are not all met while searching
constexpr unsigned kSamples = 10;                     ///< but so many samples are,
constexpr std::uint64_t kSampledCollisions = kMaxCollisions / kSamples;  ///< of about so many each

/// Searches every so manyth key of a table that has too many collisions for all of them.
void sample(const KeySet& keys, const LinearProbing& table, Json& json) {
  const std::uint64_t stride = 1 + table.collisions() / kSampledCollisions;
  for (unsigned s = 0; s < kSamples; ++s) {
    std::uint64_t searched = 0;
    std::uint64_t met = 0;
    const Stopwatch stopwatch;
    for (std::uint64_t i = s * stride / kSamples; i < keys.size(); i += stride, ++searched) {
      const Sought sought = table.find(keys[i]);
      if (!sought.found) throw Error(ErrorKind::mismatch, "linear probing: a key is not found");
      met += sought.collisions;
    }
    json["searched"].push_back(searched);
    json["met"].push_back(met);
    json["sample_seconds"].push_back(stopwatch.seconds());
  }
}

/// The tables of linear probing at all loads.
class Tables {
 public:
  Tables(Run& run, const KeySet& keys, const hashing::SeededHash& hash, const NamedHash& named)
      : keys_(keys), tables_(kLoads.size()) {
    base::parallel_for(run.threads(), kLoads.size(), [&](std::uint64_t i) {
      tables_[i] = std::make_unique<LinearProbing>(keys, kLoads[i], Hashing{hash, named.range});
    });
  }

  Json describe() const {
    Json json = Json::object();
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      Json& table = json[report::fixed(kLoads[i], 2)];
      table = {{"slots", tables_[i]->slots()}, {"total_collisions", tables_[i]->collisions()}};
      if (tables_[i]->collisions() > kMaxCollisions) sample(keys_, *tables_[i], table);
    }
    return json;
  }
  void add_to(std::vector<Contestant>& contestants) const {
    for (std::size_t i = 0; i < tables_.size(); ++i) {
      if (tables_[i]->collisions() > kMaxCollisions) continue;
      contestants.push_back({report::fixed(kLoads[i], 2),
                             [this, &table = *tables_[i]](std::uint64_t begin, std::uint64_t end) {
                               std::uint64_t found = 0;
                               for (std::uint64_t k = begin; k < end; ++k) {
                                 found += table.contains(keys_[k]) ? 1 : 0;
                               }
                               return found;
                             }});
    }
  }

 private:
  const KeySet& keys_;
  std::vector<std::unique_ptr<LinearProbing>> tables_;
};

Json generate_and_search(Run& run, const std::string& set, const NamedHash& named) {
  const KeySet& keys = run.key_sets().named(set);
  const hashing::SeededHash hash = seeded(named, 0);
  const std::filesystem::path file = run.directory() / ("mphf-" + set + ".crv");
  Json json{{"keys", keys.size()}};
  std::vector<std::unique_ptr<PointersByRank>> functions;
  std::vector<Contestant> contestants;
  {
    const HashedKeySet sorted = hash_and_sort(keys, keys.size(), hash);
    for (const NamedAlgorithm& algorithm : kNamedAlgorithms) {
      if (!takes(algorithm, named)) continue;
      const std::string name(algorithm.name);
      json["functions"][name] = generate(algorithm, sorted, named, 0, file);
      functions.push_back(std::make_unique<PointersByRank>(keys, file));
      std::filesystem::remove(file);  // it is mapped
      json["functions"][name]["ordered"] = functions.back()->preserves_order();
      contestants.push_back(contestant(name, keys, *functions.back()));
    }
  }
  std::vector<std::unique_ptr<PointersByMap>> maps;
  for (const std::string_view map : kMaps) {
    if (&named != &kXxh3) continue;
    maps.push_back(std::make_unique<PointersByMap>(keys, map));
    json["maps"][std::string(map)] = {{"bytes", maps.back()->bytes()}};
    contestants.push_back(contestant("map " + std::string(map), keys, *maps.back()));
  }
  const Tables tables(run, keys, hash, named);
  json["tables"] = tables.describe();
  tables.add_to(contestants);
  json["race_seconds"] = race(keys, contestants);
  return json;
}

/// How long the document's algorithms took, hashing counted, in each repetition.
using Seconds = std::map<std::string_view, std::vector<double>>;

void add(Seconds& seconds, const NamedAlgorithm& algorithm, const Json& one) {
  seconds[algorithm.name].push_back(one.at("seconds").get<double>() +
                                    one.at("hashing_seconds").get<double>());
}

/// How often an algorithm's function is generated; in a small run, five times.
std::uint64_t repetitions(const Run& run, const std::vector<double>& seconds) {
  if (!run.full()) return run.repetitions(5);
  if (seconds.size() < kEnoughRuns) return run.repetitions(kEnoughRuns);
  return run.repetitions_at(summary(seconds).mean);
}

/// One repetition of the algorithms that want one more.
void generate_again(Run& run, const std::string& set, const NamedHash& named, std::uint64_t seed,
                    Seconds& seconds) {
  std::unique_ptr<HashedKeySet> sorted;  // made when a step first asks for it
  for (const NamedAlgorithm& algorithm : kNamedAlgorithms) {
    if (!algorithm.of_document) continue;
    if (seed >= repetitions(run, seconds[algorithm.name])) continue;
    const Json& one = run.step(generation_step(set, named, algorithm, seed), [&] {
      const KeySet& keys = run.key_sets().named(set);
      if (!sorted) {
        sorted =
            std::make_unique<HashedKeySet>(hash_and_sort(keys, keys.size(), seeded(named, seed)));
      }
      return generate(algorithm, *sorted, named, seed);
    });
    add(seconds, algorithm, one);
  }
}

/// A function of each algorithm for all sets and hashes, searched beside the tables of linear
/// probing; then one more of each, round by round, so that where time is short all have about as
/// many.
void measure_mphf(Run& run) {
  std::map<std::pair<std::string_view, std::string_view>, Seconds> seconds;
  const auto each = [&](const auto& measure) {
    for (const std::string_view set : kSets) {
      for (const NamedHash& hash : kNamedHashes)
        measure(std::string(set), hash, seconds[{set, hash.symbol}]);
    }
  };
  each([&](const std::string& set, const NamedHash& hash, Seconds& taken) {
    const Json& first =
        run.step(search_step(set, hash), [&] { return generate_and_search(run, set, hash); });
    for (const NamedAlgorithm& algorithm : kNamedAlgorithms) {
      if (!algorithm.of_document) continue;
      add(taken, algorithm, first.at("functions").at(std::string(algorithm.name)));
    }
  });
  for (std::uint64_t seed = 1; seed < run.repetitions(50); ++seed) {
    each([&](const std::string& set, const NamedHash& hash, Seconds& taken) {
      if (&hash != &kXxh3) generate_again(run, set, hash, seed, taken);
    });
  }
}

}  // namespace

std::string search_step(std::string_view set, const NamedHash& hash) {
  return std::string(set) + '/' + std::string(hash.symbol) + "/search";
}

std::string generation_step(std::string_view set, const NamedHash& hash,
                            const NamedAlgorithm& algorithm, std::uint64_t seed) {
  return std::string(set) + '/' + std::string(hash.symbol) + '/' + std::string(algorithm.name) +
         '/' + std::to_string(seed);
}

std::vector<Json> generations(const Results& results, std::string_view set, const NamedHash& hash,
                              const NamedAlgorithm& algorithm) {
  if (!results.measured(search_step(set, hash))) return {};
  std::vector<Json> all{
      results[search_step(set, hash)].at("functions").at(std::string(algorithm.name))};
  for (std::uint64_t seed = 1; results.has(generation_step(set, hash, algorithm, seed)); ++seed) {
    all.push_back(results[generation_step(set, hash, algorithm, seed)]);
  }
  return all;
}

bool takes(const NamedAlgorithm& algorithm, const NamedHash& hash) noexcept {
  return algorithm.of_document || &hash == &kXxh3;
}

Experiment mphf_experiment() {
  return {
      "mphf",
      "MPHFs: searching against linear probing, and generation (dissertation, sections 4.2, 4.3 "
      "and 4.4.1)",
      "FHPMs: pesquisa contra o hashing linear, e geração (dissertação, seções 4.2, 4.3 e 4.4.1)",
      measure_mphf,
      report_mphf,
      true};
}

}  // namespace crivo::experiments
