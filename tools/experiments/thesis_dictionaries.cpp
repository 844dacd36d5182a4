// SPDX-License-Identifier: Apache-2.0
#include "experiments/thesis_dictionaries.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "crivo/key.hpp"
#include "crivo/progress.hpp"
#include "experiments/dictionaries/chained.hpp"
#include "experiments/dictionaries/hash_compaction.hpp"
#include "experiments/dictionaries/linear_probing.hpp"
#include "experiments/dissertation_mphf.hpp"
#include "experiments/filters.hpp"
#include "experiments/named_hashes.hpp"
#include "experiments/searching.hpp"
#include "experiments/stopwatch.hpp"
#include "experiments/thesis.hpp"
#include "structures/build/mphf.hpp"
#include "structures/mphf.hpp"

namespace crivo::experiments {
namespace {

/// A minimal perfect hash function of today's and a table of pointers into the key set that it
/// addresses: the dissertation's use of one.
class PerfectTable {
 public:
  PerfectTable(const KeySet& keys, const hashing::SeededHash& hash)
      : keys_(keys), hash_(hash), entries_(keys.size()) {
    Progress progress;
    base::MemorySink sink;
    const mphf::Builder& algorithm = mphf::builders().front();
    algorithm.build(hash_and_sort(keys, keys.size(), hash).hashes, {}, {1, progress}, sink);
    section_ = sink.take();
    function_ = algorithm.algorithm().open(base::ByteView(section_));
    for (std::uint64_t i = 0; i < keys.size(); ++i) {
      entries_[function_->rank(hash_(keys[i]))] = keys.start(i);
    }
  }

  Sought find(std::string_view key) const noexcept {
    const bool found = keys_.at(entries_[function_->rank(hash_(key))]) == key;
    return {.found = found, .collisions = found ? 0U : 1U};
  }
  std::uint64_t bytes() const noexcept {
    return section_.size() + entries_.size() * sizeof entries_[0];
  }

 private:
  const KeySet& keys_;
  const hashing::SeededHash& hash_;
  base::Bytes section_;
  std::unique_ptr<const mphf::Function> function_;
  std::vector<std::uint32_t> entries_;
};

/// One of Crivo's filters.
class FilterDictionary {
 public:
  FilterDictionary(const KeySet& keys, const hashing::SeededHash& hash, const char* type)
      : hash_(hash),
        filter_(build_filter({.type = type, .fpr = kFpr},
                             hash_and_sort(keys, keys.size(), hash).hashes)) {}

  Sought find(std::string_view key) const noexcept {
    return {.found = filter_.membership->contains(hash_(key))};
  }
  std::uint64_t bytes() const noexcept { return filter_.section.size(); }

 private:
  const hashing::SeededHash& hash_;
  BuiltFilter filter_;
};

/// What is searched, in what.
struct Work {
  const KeySet& keys;
  const KeySet& absent;
  std::uint64_t stride;  ///< every so manyth key is searched, in their order
};

/// Searches of one key after another, in kPasses passes over the keys. CPU seconds a key of each
/// pass, and of all keys: the part that was found, and the collisions a key.
template <typename Dictionary>
void search(const Dictionary& dictionary, const KeySet& keys, std::uint64_t stride,
            const std::string& which, Json& json) {
  std::uint64_t found = 0;
  std::uint64_t collisions = 0;
  std::uint64_t searched = 0;
  for (unsigned pass = 0; pass < kPasses; ++pass) {
    std::uint64_t in_pass = 0;
    const Stopwatch searching;
    for (std::uint64_t i = pass * stride; i < keys.size(); i += kPasses * stride, ++in_pass) {
      const Sought sought = dictionary.find(keys[i]);
      found += sought.found ? 1 : 0;
      collisions += sought.collisions;
    }
    const double seconds = searching.seconds();
    searched += in_pass;
    if (in_pass != 0) json[which + "_seconds"].push_back(seconds / static_cast<double>(in_pass));
  }
  json[which + "_found"] = static_cast<double>(found) / static_cast<double>(searched);
  json[which + "_collisions"] = static_cast<double>(collisions) / static_cast<double>(searched);
}

/// A dictionary that `make` builds: time to build it, space, and searches.
template <typename Make>
Json measured(const Work& work, Make&& make) {
  const Stopwatch building;
  const auto dictionary = make();
  const double build_seconds = building.seconds();
  Json json{{"build_seconds", build_seconds},
            {"bytes_per_key",
             static_cast<double>(dictionary.bytes()) / static_cast<double>(work.keys.size())}};
  search(dictionary, work.keys, work.stride, "present", json);
  search(dictionary, work.absent, 1, "absent", json);
  return json;
}

/// The bits of a compressed key with which n of them err at the rate kFpr or less.
unsigned compressed_bits(double keys) {
  return static_cast<unsigned>(std::ceil(std::log2(keys / kFpr)));
}

void measure_set(Run& run, const std::string& set) {
  const std::string prefix = set + "/";
  const KeySet& keys = run.key_sets().named(set);
  const KeySet absent = run.key_sets().absent(set, 2'000'000);
  const Work work{keys, absent, std::max<std::uint64_t>(1, keys.size() / absent.size())};
  const hashing::SeededHash hash = seeded(kXxh3, kDefaultSeed);
  const Hashing hashing{hash, kXxh3.range};
  run.step(prefix + "keys", [&]() -> Json {
    return {{"keys", keys.size()},
            {"absent", absent.size()},
            {"text_bytes", keys.text().size()},
            {"bits", compressed_bits(static_cast<double>(keys.size()))}};
  });
  for (const double load : kProbingLoads) {
    run.step(prefix + dictionary_id(load),
             [&] { return measured(work, [&] { return LinearProbing(keys, load, hashing); }); });
  }
  run.step(prefix + "chained", [&] {
    return measured(work, [&] { return ChainedTable(keys, kChainedLoad, hashing); });
  });
  for (const CuckooShape& shape : kCuckooShapes) {
    run.step(prefix + dictionary_id(shape), [&] {
      double moves = 0;
      double load = 0;
      Json json = measured(work, [&] {
        CuckooTable table(keys, hashing, shape);
        moves = static_cast<double>(table.moves()) / static_cast<double>(table.size());
        load = table.load();
        return table;
      });
      json["moves"] = moves;
      json["load"] = load;
      return json;
    });
  }
  run.step(prefix + "hash compaction", [&] {
    const unsigned bits = compressed_bits(static_cast<double>(keys.size()));
    return measured(work, [&] { return HashCompaction(keys, kChainedLoad, hashing, bits); });
  });
  run.step(prefix + "perfect",
           [&] { return measured(work, [&] { return PerfectTable(keys, hash); }); });
  for (const char* type : kDictionaryFilters) {
    run.step(prefix + dictionary_id(type),
             [&] { return measured(work, [&] { return FilterDictionary(keys, hash, type); }); });
  }
}

void measure_dictionaries(Run& run) {
  for (const std::string set : kSets) measure_set(run, set);
}

}  // namespace

std::string dictionary_id(double load) {
  return "linear probing/" + report::percent(load);
}

std::string dictionary_id(const CuckooShape& shape) {
  return "cuckoo hash table/" + std::to_string(shape.bucket_entries) + " entries";
}

std::string dictionary_id(const char* filter) {
  return std::string("filter/") + filter;
}

Experiment dictionaries_experiment() {
  return {"dictionaries",
          "Dictionaries in memory (dissertation, chapter 3; thesis, chapters 2 and 4)",
          "Dicionários em memória (dissertação, capítulo 3; monografia, capítulos 2 e 4)",
          measure_dictionaries,
          report_dictionaries,
          true};
}

}  // namespace crivo::experiments
