// SPDX-License-Identifier: Apache-2.0
#include "experiments/dissertation_growth.hpp"

#include <algorithm>

#include "experiments/dissertation.hpp"

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

/// As often as the document, or as the time of a run allows: of 6,400,000 keys in all, but ten
/// times where there are fewer than two million.
std::uint64_t growth_repetitions(const Run& run, std::uint64_t keys) {
  constexpr std::uint64_t kKeys = 6'400'000;
  const std::uint64_t least = keys < 2'000'000 ? 10 : 1;
  return run.repetitions(run.full() ? std::max(least, kKeys / keys) : 10);
}

/// All algorithms over the first `count` words, each time under another seed.
Json grow(Run& run, const NamedHash& hash, std::uint64_t count) {
  const KeySet& words = run.key_sets().words();
  Json json = Json::object();
  for (std::uint64_t seed = 0; seed < growth_repetitions(run, count); ++seed) {
    const HashedKeySet keys = hash_and_sort(words, count, seeded(hash, seed));
    for (const NamedAlgorithm& algorithm : kGrowthAlgorithms) {
      // Today's hash is of one of the document's algorithms enough to compare it by.
      const bool measured = &hash == &kXxh3 ? algorithm.name == "mwhc3" || algorithm.name == "fast"
                                            : algorithm.of_document;
      if (!measured) continue;
      Json& fields = json[std::string(algorithm.name)];
      const Json one = generate(algorithm, keys, hash, seed);
      for (const auto& [field, value] : one.items()) fields[field].push_back(value);
    }
  }
  return json;
}

void measure_growth(Run& run) {
  const Json sizes = run.step("sizes", [&]() -> Json { return {{"keys", sizes_to_grow(run)}}; });
  for (const NamedHash& hash : kNamedHashes) {
    for (const std::uint64_t keys : sizes.at("keys").get<std::vector<std::uint64_t>>()) {
      run.step(growth_step(hash, keys), [&] { return grow(run, hash, keys); });
    }
  }
}

}  // namespace

std::vector<std::uint64_t> growth_sizes(const Results& results) {
  return results["sizes"].at("keys").get<std::vector<std::uint64_t>>();
}

std::string growth_step(const NamedHash& hash, std::uint64_t keys) {
  return std::string(hash.symbol) + "/" + std::to_string(keys);
}

Experiment growth_experiment() {
  return {"growth", "Generation by number of keys (dissertation, section 4.4.2)",
          "Geração por número de chaves (dissertação, seção 4.4.2)", measure_growth, report_growth};
}

}  // namespace crivo::experiments
