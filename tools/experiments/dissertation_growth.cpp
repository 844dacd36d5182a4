// SPDX-License-Identifier: Apache-2.0
#include "experiments/dissertation_growth.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "experiments/dissertation.hpp"
#include "experiments/statistics.hpp"

namespace crivo::experiments {
namespace {

constexpr std::size_t kSizes = 8;

/// The document's sizes, 50,000 to 6,400,000; at the small scale an 80th of them; of a file's keys
/// all, a half and so on.
std::vector<std::uint64_t> sizes_to_grow(Run& run) {
  const std::uint64_t keys = run.key_sets().words().size();
  const std::uint64_t most = std::min<std::uint64_t>(keys, run.full() ? 6'400'000 : 80'000);
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = kSizes; i-- > 0;) sizes.push_back(std::max<std::uint64_t>(most >> i, 1));
  return sizes;
}

/// A step has so many repetitions: seconds of work, which an interruption loses.
std::uint64_t block_of(std::uint64_t keys) {
  return std::max<std::uint64_t>(1, 1'000'000 / keys);
}

/// Today's hash is of one of the document's algorithms enough to compare it by.
bool is_grown(const NamedAlgorithm& algorithm, const NamedHash& hash) {
  return &hash == &kXxh3 ? algorithm.name == "mwhc3" || algorithm.name == "fast"
                         : algorithm.of_document;
}

template <typename Wants>
bool is_wanted_at(std::uint64_t seed, const Wants& wants) {
  return std::ranges::any_of(
      kGrowthAlgorithms, [&](const NamedAlgorithm& algorithm) { return wants(algorithm, seed); });
}

/// The algorithms that `wants` over the first `count` words, under seeds from `first` on.
template <typename Wants>
Json grow(Run& run, const NamedHash& hash, std::uint64_t count, std::uint64_t first,
          const Wants& wants) {
  const KeySet& words = run.key_sets().words();
  Json json = Json::object();
  for (std::uint64_t seed = first; seed < first + block_of(count); ++seed) {
    if (!is_wanted_at(seed, wants)) break;
    const HashedKeySet keys = hash_and_sort(words, count, seeded(hash, seed));
    for (const NamedAlgorithm& algorithm : kGrowthAlgorithms) {
      if (!wants(algorithm, seed)) continue;
      Json& fields = json[std::string(algorithm.name)];
      const Json one = generate(algorithm, keys, hash, seed);
      for (const auto& [field, value] : one.items()) fields[field].push_back(value);
    }
  }
  return json;
}

/// All repetitions of one size, as many as each algorithm's mean time asks for.
void grow_all(Run& run, const NamedHash& hash, std::uint64_t keys) {
  std::map<std::string_view, std::vector<double>> seconds;
  const auto wants = [&](const NamedAlgorithm& algorithm, std::uint64_t seed) {
    if (!is_grown(algorithm, hash)) return false;
    if (!run.full() || seed < kEnoughRuns) return seed < run.repetitions(kEnoughRuns);
    return seed < run.repetitions_at(summary(seconds[algorithm.name]).mean);
  };
  for (std::uint64_t block = 0; is_wanted_at(block * block_of(keys), wants); ++block) {
    const std::uint64_t first = block * block_of(keys);
    const Json& step = run.step(growth_step(hash, keys, block),
                                [&] { return grow(run, hash, keys, first, wants); });
    for (const NamedAlgorithm& algorithm : kGrowthAlgorithms) {
      const auto found = step.find(std::string(algorithm.name));
      if (found == step.end()) continue;
      for (std::size_t i = 0; i < found->at("seconds").size(); ++i) {
        seconds[algorithm.name].push_back(found->at("seconds")[i].get<double>() +
                                          found->at("hashing_seconds")[i].get<double>());
      }
    }
  }
}

void measure_growth(Run& run) {
  const Json sizes = run.step("sizes", [&]() -> Json { return {{"keys", sizes_to_grow(run)}}; });
  for (const NamedHash& hash : kNamedHashes) {
    for (const std::uint64_t keys : sizes.at("keys").get<std::vector<std::uint64_t>>()) {
      grow_all(run, hash, keys);
    }
  }
}

}  // namespace

std::vector<std::uint64_t> growth_sizes(const Results& results) {
  return results["sizes"].at("keys").get<std::vector<std::uint64_t>>();
}

std::string growth_step(const NamedHash& hash, std::uint64_t keys, std::uint64_t block) {
  return std::string(hash.symbol) + "/" + std::to_string(keys) +
         (block == 0 ? "" : "/" + std::to_string(block));
}

Experiment growth_experiment() {
  return {"growth",
          "Generation by number of keys (dissertation, section 4.4.2)",
          "Geração por número de chaves (dissertação, seção 4.4.2)",
          measure_growth,
          report_growth,
          true};
}

}  // namespace crivo::experiments
