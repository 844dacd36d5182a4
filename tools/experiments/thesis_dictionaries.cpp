#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "crivo/hash.hpp"
#include "crivo/progress.hpp"
#include "experiments/dictionaries/chained.hpp"
#include "experiments/dictionaries/cuckoo_table.hpp"
#include "experiments/dictionaries/hash_compaction.hpp"
#include "experiments/dictionaries/linear_probing.hpp"
#include "experiments/filters.hpp"
#include "experiments/named_hashes.hpp"
#include "experiments/stopwatch.hpp"
#include "experiments/thesis.hpp"
#include "structures/mphf.hpp"

namespace crivo::experiments {
namespace {

constexpr double kFpr = 1.0 / 256;  ///< of what errs
constexpr std::array kProbingLoads{0.5, 0.7, 0.9};
constexpr double kChainedLoad = 1;
constexpr std::array<CuckooShape, 2> kCuckooShapes{
    {{.bucket_entries = 1, .load = 0.48}, {.bucket_entries = 4, .load = 0.95}}};
constexpr std::array kFilters{"hash-compaction", "cuckoo", "ribbon"};

/// A minimal perfect hash function of today's and a table of pointers into the key set that it
/// addresses: the dissertation's use of one.
class PerfectTable {
 public:
  PerfectTable(const KeySet& keys, const hashing::SeededHash& hash)
      : keys_(keys), hash_(hash), entries_(keys.size()) {
    Progress progress;
    base::MemorySink sink;
    const mphf::Algorithm& algorithm = mphf::algorithms().front();
    algorithm.build(hash_and_sort(keys, keys.size(), hash, 1).hashes, {}, {1, progress}, sink);
    section_ = sink.take();
    function_ = algorithm.open(section_);
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
                             hash_and_sort(keys, keys.size(), hash, 1).hashes)) {}

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

/// A dictionary that `make` builds: time to build it, space, and searches of one key after another.
template <typename Make>
Json measured(const Work& work, Make&& make) {
  const Stopwatch building;
  const auto dictionary = make();
  const double build_seconds = building.seconds();
  const auto searches = [&](const KeySet& keys, std::uint64_t stride) -> Json {
    std::uint64_t found = 0;
    std::uint64_t collisions = 0;
    std::uint64_t searched = 0;
    const Stopwatch searching;
    for (std::uint64_t i = 0; i < keys.size(); i += stride, ++searched) {
      const Sought sought = dictionary.find(keys[i]);
      found += sought.found ? 1 : 0;
      collisions += sought.collisions;
    }
    const auto all = static_cast<double>(searched);
    return {{"ns", searching.seconds() * 1e9 / all},
            {"found", static_cast<double>(found) / all},
            {"collisions", static_cast<double>(collisions) / all}};
  };
  const Json present = searches(work.keys, work.stride);
  const Json absent = searches(work.absent, 1);
  return {{"build_seconds", build_seconds},
          {"bytes_per_key",
           static_cast<double>(dictionary.bytes()) / static_cast<double>(work.keys.size())},
          {"present_ns", present["ns"]},
          {"present_found", present["found"]},
          {"present_collisions", present["collisions"]},
          {"absent_ns", absent["ns"]},
          {"absent_found", absent["found"]},
          {"absent_collisions", absent["collisions"]}};
}

std::string dictionary_id(double load) {
  return "linear probing/" + report::percent(load);
}
std::string dictionary_id(const CuckooShape& shape) {
  return "cuckoo hash table/" + std::to_string(shape.bucket_entries) + " entries";
}
std::string dictionary_id(const char* filter) {
  return std::string("filter/") + filter;
}

/// The bits of a compressed key with which n of them err at the rate kFpr or less.
unsigned compressed_bits(double keys) {
  return static_cast<unsigned>(std::ceil(std::log2(keys / kFpr)));
}

void measure_dictionaries(Run& run) {
  const KeySet& keys = run.key_sets().words();
  const std::uint64_t searched = std::min<std::uint64_t>(keys.size(), 2'000'000);
  const KeySet absent = KeySet::generate(gen::Kind::words, searched, keys.size());
  const Work work{keys, absent, std::max<std::uint64_t>(1, keys.size() / searched)};
  const hashing::SeededHash hash = seeded(kXxh3, kDefaultSeed);
  const Hashing hashing{hash, kXxh3.range};
  run.step("keys", [&]() -> Json {
    return {{"keys", keys.size()},
            {"text_bytes", keys.text().size()},
            {"bits", compressed_bits(static_cast<double>(keys.size()))}};
  });
  for (const double load : kProbingLoads) {
    run.step(dictionary_id(load),
             [&] { return measured(work, [&] { return LinearProbing(keys, load, hashing); }); });
  }
  run.step("chained", [&] {
    return measured(work, [&] { return ChainedTable(keys, kChainedLoad, hashing); });
  });
  for (const CuckooShape& shape : kCuckooShapes) {
    run.step(dictionary_id(shape), [&] {
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
  run.step("hash compaction", [&] {
    const unsigned bits = compressed_bits(static_cast<double>(keys.size()));
    return measured(work, [&] { return HashCompaction(keys, kChainedLoad, hashing, bits); });
  });
  run.step("perfect", [&] { return measured(work, [&] { return PerfectTable(keys, hash); }); });
  for (const char* type : kFilters) {
    run.step(dictionary_id(type),
             [&] { return measured(work, [&] { return FilterDictionary(keys, hash, type); }); });
  }
}

void report_dictionaries(const Results& results, Report& report) {
  const double keys = results.number("keys", "keys");
  report.paragraph(
      "The documents' dictionaries in memory over the " +
      report::grouped(static_cast<std::uint64_t>(keys)) +
      " keys of the vocabulary, all with XXH3, so that they differ in their scheme alone. "
      "Those of the first rows are exact: their entries are pointers of 4 bytes into one "
      "contiguous key set, which takes " +
      report::fixed(results.number("keys", "text_bytes") / keys, 2) +
      " bytes a key beside them. A collision is another key that a search meets and compares. "
      "None of the documents prints such a comparison; the columns `theory` have the "
      "collisions that they derive, or that follow from what they say.");
  report::Table table({"dictionary", "build (ns a key)", "search, there (ns)", "not there (ns)",
                       "bytes a key", "collisions, there", "theory", "not there", "theory",
                       "wrongly found"});
  double lost = 0;
  double invented = 0;
  double farthest = 0;
  const auto add = [&](const std::string& name, const std::string& id, double there,
                       double not_there, bool is_exact) {
    const auto number = [&](const char* field) { return results.number(id, field); };
    lost += 1 - number("present_found");
    if (is_exact) invented += number("absent_found");
    const auto check = [&](const char* field, double theory) {
      if (theory > 0) farthest = std::max(farthest, std::abs(number(field) / theory - 1));
    };
    check("present_collisions", there);
    check("absent_collisions", not_there);
    const bool is_filter = id.starts_with("filter/");
    const auto collisions = [&](const char* field) {
      return is_filter ? std::string("-") : report::fixed(number(field), 2);
    };
    table.add({name, report::fixed(1e9 * number("build_seconds") / keys, 0),
               report::fixed(number("present_ns"), 0), report::fixed(number("absent_ns"), 0),
               report::fixed(number("bytes_per_key"), 2), collisions("present_collisions"),
               report::fixed(there, 2), collisions("absent_collisions"),
               report::fixed(not_there, 2), report::percent(number("absent_found"), 3)});
  };
  for (const double load : kProbingLoads) {
    const double full = 1 / (1 - load);
    add("linear probing, load " + report::percent(load) + " (dissertation, 3.2)",
        dictionary_id(load), (full - 1) / 2, (full * full - 1) / 2, true);
  }
  add("hash table, chained, load " + report::percent(kChainedLoad) + " (thesis, 2.1.2)", "chained",
      kChainedLoad / 2, kChainedLoad, true);
  for (const CuckooShape& shape : kCuckooShapes) {
    add("cuckoo hash table, buckets of " + std::to_string(shape.bucket_entries) + ", load " +
            report::percent(results.number(dictionary_id(shape), "load")) + " (thesis, 4.1)",
        dictionary_id(shape), report::kNone,
        2 * shape.bucket_entries * results.number(dictionary_id(shape), "load"), true);
  }
  add("hash compaction, " + report::fixed(results.number("keys", "bits"), 0) +
          " bits (thesis, 2.1.3)",
      "hash compaction", kChainedLoad / 2, kChainedLoad, false);
  add("today: MPHF `" + std::string(mphf::algorithms().front().name) + "` and the pointers",
      "perfect", 0, 1, true);
  for (const char* type : kFilters) {
    add("today: filter `" + std::string(type) + "`, 1/256", dictionary_id(type), report::kNone,
        report::kNone, false);
  }
  report.table(table);

  const auto bytes = [&](const std::string& id) { return results.number(id, "bytes_per_key"); };
  const std::string four = dictionary_id(kCuckooShapes[1]);
  const auto absent_ns = [&](double load) {
    return results.number(dictionary_id(load), "absent_ns");
  };
  report.paragraph(
      std::string("Agrees: ") +
      (lost == 0 && invented == 0 ? "every key that was put in is found, and no exact dictionary "
                                    "finds another; "
                                  : "KEYS ARE LOST OR INVENTED; ") +
      "the collisions are those of theory, at the farthest " + report::percent(farthest, 1) +
      " off; a search for a key that is not there is " +
      report::fixed(absent_ns(kProbingLoads.back()) / absent_ns(kProbingLoads.front()), 1) +
      " times as long in a table of linear probing at load " +
      report::percent(kProbingLoads.back()) + " as at " + report::percent(kProbingLoads.front()) +
      "; insertion into a cuckoo hash table made " +
      report::fixed(results.number(dictionary_id(kCuckooShapes[0]), "moves"), 2) +
      " relocations a key with buckets of one, and " +
      report::fixed(results.number(four, "moves"), 2) + " with buckets of four filled to " +
      report::percent(results.number(four, "load")) +
      ": O(1), as the thesis says. Differs: the thesis counts the space of elements alone. "
      "Pointers, links and free entries show here: hash compaction with linked lists, " +
      report::fixed(bytes("hash compaction"), 2) +
      " bytes a key, takes more than an exact cuckoo hash table's " +
      report::fixed(bytes(four), 2) +
      " beside its keys. Crivo's filter `hash-compaction`, which has linear probing in their "
      "place, takes " +
      report::fixed(bytes(dictionary_id("hash-compaction")), 2) +
      ", and the other filters are smaller by the log2 n bits that it spends so that addresses "
      "may depend on the compressed key alone. Today's MPHF leaves no entry of the table free, " +
      report::fixed(bytes("perfect"), 2) +
      " bytes a key in all, and compares one key whatever is asked.");
}

}  // namespace

Experiment dictionaries_experiment() {
  return {"dictionaries",
          "Dictionaries in memory (dissertation, chapter 3; thesis, chapters 2 and 4)",
          measure_dictionaries, report_dictionaries};
}

}  // namespace crivo::experiments
