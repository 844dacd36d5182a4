#include "experiments/dissertation_mphf.hpp"

#include <optional>

#include "experiments/dissertation.hpp"
#include "experiments/generation.hpp"
#include "experiments/searching.hpp"

namespace crivo::experiments {
namespace {

/// How often a function is generated, each time under another seed.
std::uint64_t repetitions(const NamedAlgorithm& algorithm, const Run& run) {
  const bool graphs = algorithm.name == "mwhc2" || algorithm.name == "mwhc3";
  return graphs ? (run.full() ? 2 : 5) : 1;
}

/// The hashes of a set under one seed, made when a step first asks for them.
class Hashes {
 public:
  Hashes(Run& run, std::string_view set, const NamedHash& hash, std::uint64_t seed)
      : run_(run), set_(set), hash_(hash), seed_(seed) {}

  const KeySet& keys() const {
    return set_ == "words" ? run_.key_sets().words() : run_.key_sets().urls();
  }
  const HashedKeySet& sorted() {
    if (!sorted_) {
      sorted_ = hash_and_sort(keys(), keys().size(), seeded(hash_, seed_), run_.threads());
    }
    return *sorted_;
  }

 private:
  Run& run_;
  std::string_view set_;
  const NamedHash& hash_;
  std::uint64_t seed_;
  std::optional<HashedKeySet> sorted_;
};

Json generate_and_search(Run& run, const NamedAlgorithm& algorithm, const NamedHash& hash,
                         Hashes& hashes, std::uint64_t seed) {
  const bool searched = seed == 0;
  const std::filesystem::path file = searched ? run.directory() / "mphf.crv" : "";
  Json json = generate(algorithm, hashes.sorted(), hash, seed, run.threads(), file);
  json["keys"] = hashes.keys().size();
  json["hashing"] = hashes.sorted().seconds;
  if (searched) {
    json["searching"] = search_mphf(hashes.keys(), hashes.sorted().hashes, file);
    std::filesystem::remove(file);
  }
  return json;
}

void measure_mphf(Run& run) {
  for (const std::string_view set : kSets) {
    for (const NamedHash& hash : kNamedHashes) {
      for (std::uint64_t seed = 0; seed < kMaxRepetitions; ++seed) {
        Hashes hashes(run, set, hash, seed);
        for (const NamedAlgorithm& algorithm : kNamedAlgorithms) {
          if (!algorithm.of_seeds && &hash != &kXxh3) continue;
          if (seed >= repetitions(algorithm, run)) continue;
          run.step(mphf_step(set, hash, algorithm, seed),
                   [&] { return generate_and_search(run, algorithm, hash, hashes, seed); });
        }
      }
    }
    for (const std::string_view map : kMaps) {
      run.step(map_step(set, map), [&] {
        KeySets& sets = run.key_sets();
        return search_map(set == "words" ? sets.words() : sets.urls(), map, run.threads());
      });
    }
  }
}

}  // namespace

std::string mphf_step(std::string_view set, const NamedHash& hash, const NamedAlgorithm& algorithm,
                      std::uint64_t seed) {
  return std::string(set) + '/' + std::string(hash.symbol) + '/' + std::string(algorithm.name) +
         '/' + std::to_string(seed);
}

std::string map_step(std::string_view set, std::string_view map) {
  return std::string(set) + "/map/" + std::string(map);
}

Experiment mphf_experiment() {
  return {"mphf",
          "MPHFs: searching against linear probing, and generation (dissertation, sections 4.3 and "
          "4.4.1)",
          measure_mphf, report_mphf};
}

}  // namespace crivo::experiments
