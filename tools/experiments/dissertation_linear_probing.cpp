#include "experiments/dissertation_linear_probing.hpp"

#include <array>
#include <cmath>
#include <string>

#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "experiments/dictionaries/linear_probing.hpp"
#include "experiments/dissertation.hpp"
#include "experiments/named_hashes.hpp"
#include "experiments/printed/dissertation.hpp"
#include "experiments/probing_count.hpp"
#include "experiments/probing_theory.hpp"
#include "experiments/statistics.hpp"
#include "experiments/stopwatch.hpp"
#include "structures/classic/words.hpp"

namespace crivo::experiments {
namespace {

constexpr std::array kLoads{0.70, 0.65, 0.60, 0.55, 0.50, 0.45, 0.40, 0.35, 0.30, 0.25};
/// Over so many seeds collisions are counted; the document's figures are means over 50 runs.
constexpr std::uint64_t kProbingSeeds = 10;
/// No more collisions than this many are met while searching: beyond, only some keys are searched.
constexpr std::uint64_t kMaxCollisions = 20'000'000;

std::string probing_id(std::string_view set, const NamedHash& hash, double load) {
  return std::string(set) + "/" + std::string(hash.symbol) + "/" + report::fixed(load, 2);
}

std::string seeds_id(std::string_view set, const NamedHash& hash) {
  return std::string(set) + "/" + std::string(hash.symbol) + "/seeds";
}

/// Builds the table and searches all keys in the order of the set; or, where that would take hours,
/// every k-th key, and scales the time by the collisions.
Json probe(const KeySet& keys, const NamedHash& named, double load) {
  const hashing::SeededHash hash = seeded(named, 0);
  const LinearProbing table(keys, load, {hash, named.range});
  const std::uint64_t step = 1 + table.collisions() / kMaxCollisions;
  std::uint64_t found = 0;
  std::uint64_t searched = 0;
  std::uint64_t met = 0;
  const Stopwatch stopwatch;
  if (step == 1) {
    for (std::uint64_t i = 0; i < keys.size(); ++i) found += table.contains(keys[i]) ? 1 : 0;
    searched = keys.size();
  } else {
    for (std::uint64_t i = 0; i < keys.size(); i += step, ++searched) {
      const Sought sought = table.find(keys[i]);
      found += sought.found ? 1 : 0;
      met += sought.collisions;
    }
  }
  double seconds = stopwatch.seconds();
  if (found != searched) throw Error(ErrorKind::mismatch, "linear probing: a key is not found");
  if (step > 1) {
    seconds *= static_cast<double>(table.collisions()) / static_cast<double>(met);
  }
  return {
      {"slots", table.slots()},
      {"total_collisions", table.collisions()},
      {"collisions", static_cast<double>(table.collisions()) / static_cast<double>(keys.size())},
      {"searched", searched},
      {"seconds", seconds}};
}

/// The collisions a key of each load under each of kProbingSeeds seeds, the first of which is
/// probe()'s.
Json collide(Run& run, const KeySet& keys, const NamedHash& named) {
  std::array<std::array<double, kProbingSeeds>, kLoads.size()> collisions;
  base::parallel_for(run.threads(), kProbingSeeds, [&](std::uint64_t seed) {
    const hashing::SeededHash hash = seeded(named, seed);
    std::vector<std::uint32_t> values(keys.size());
    for (std::uint64_t i = 0; i < keys.size(); ++i) values[i] = classic::words(hash(keys[i]), 0)[0];
    for (std::size_t i = 0; i < kLoads.size(); ++i) {
      const std::uint32_t slots = addresses_for(keys.size(), kLoads[i], keys.size() + 1);
      const std::uint64_t total = probing_collisions(values, slots, named.range);
      collisions[i][seed] = static_cast<double>(total) / static_cast<double>(keys.size());
    }
  });
  Json json = Json::object();
  for (std::size_t i = 0; i < kLoads.size(); ++i) json[report::fixed(kLoads[i], 2)] = collisions[i];
  return json;
}

/// All of one hash's, by load and seed.
Summary collisions_of(const Results& results, std::string_view set, const NamedHash& hash,
                      double load) {
  const Json& step = results[seeds_id(set, hash)];
  return summary(step.at(report::fixed(load, 2)).get<std::vector<double>>());
}

void measure_linear_probing(Run& run) {
  for (const std::string set : {"words", "urls"}) {
    for (const NamedHash& hash : kNamedHashes) {
      run.step(seeds_id(set, hash), [&] {
        KeySets& sets = run.key_sets();
        return collide(run, set == "words" ? sets.words() : sets.urls(), hash);
      });
      for (const double load : kLoads) {
        run.step(probing_id(set, hash, load), [&] {
          KeySets& sets = run.key_sets();
          return probe(set == "words" ? sets.words() : sets.urls(), hash, load);
        });
      }
    }
  }
}

FoldedLoad folded(const Results& results, const std::string& set, double load) {
  const std::string id = probing_id(set, kNamedHashes[2], load);
  const double collisions = results.number(id, "collisions");
  const double total = results.number(id, "total_collisions");
  return folded_load(static_cast<std::uint64_t>(std::llround(total / collisions)),
                     static_cast<std::uint32_t>(results.number(id, "slots")));
}

void report_collisions(const Results& results, Report& report, const std::string& set,
                       const std::array<printed::Probing, 10>& old) {
  report::Table table({"load", "expected", "hu", "printed", "hz", "printed", "XXH3", "hj expected",
                       "hj", "printed"});
  std::array<double, kNamedHashes.size()> worst{};
  double spread = 0;
  for (std::size_t i = 0; i < kLoads.size(); ++i) {
    const double expected = uniform_collisions(kLoads[i]);
    const FoldedLoad fold = folded(results, set, kLoads[i]);
    std::array<double, kNamedHashes.size()> mean{};
    for (std::size_t h = 0; h < mean.size(); ++h) {
      const Summary all = collisions_of(results, set, kNamedHashes[h], kLoads[i]);
      mean[h] = all.mean;
      const double to = h == 2 ? fold.collisions : expected;
      worst[h] = std::max(worst[h], std::abs(all.mean / to - 1));
      if (h == 0) spread = std::max(spread, all.deviation / all.mean);
    }
    table.add({report::percent(kLoads[i]), report::fixed(expected, 2), report::fixed(mean[0], 2),
               report::fixed(old[i].collisions[0], 2), report::fixed(mean[1], 2),
               report::fixed(old[i].collisions[1], 2), report::fixed(mean[3], 2),
               report::fixed(fold.collisions, 2), report::fixed(mean[2], 2),
               report::fixed(old[i].collisions[2], 2)});
  }
  report.paragraph("Collisions a key, means over " + std::to_string(kProbingSeeds) + " seeds:");
  report.table(table);
  report.paragraph(
      "Agrees: the means are within " + report::percent(worst[0], 1) + " (`hu`), " +
      report::percent(worst[1], 1) + " (`hz`) and " + report::percent(worst[3], 1) +
      " (XXH3) of (1 / (1 - load) - 1) / 2, Knuth's for addresses that are equally likely and "
      "independent. \"hj expected\" is the same formula for the two loads that its range gives "
      "(below); `hj` is within " +
      report::percent(worst[2], 1) +
      " of it. `hu` is linear in the bytes, so that keys that differ alike have addresses that "
      "differ alike: from seed to seed it varies by up to " +
      report::percent(spread, 1) + " (standard deviation).");
}

void report_times(const Results& results, Report& report, const std::string& set,
                  const std::array<printed::Probing, 10>& old) {
  report::Table table({"load", "hu", "printed", "hz", "printed", "hj", "printed", "XXH3"});
  for (std::size_t i = 0; i < kLoads.size(); ++i) {
    std::vector<std::string> row{report::percent(kLoads[i])};
    for (std::size_t h = 0; h < kNamedHashes.size(); ++h) {
      const std::string id = probing_id(set, kNamedHashes[h], kLoads[i]);
      const double seconds = results.number(id, "seconds");
      const bool all = results.number(id, "total_collisions") < double{kMaxCollisions};
      row.push_back((all ? "" : "about ") + report::fixed(seconds, seconds < 1 ? 4 : 2));
      if (h < kOldHashes) row.push_back(report::fixed(old[i].time[h], 2));
    }
    table.add(std::move(row));
  }
  report.paragraph("Time to search all keys, hashing counted:");
  report.table(table);
}

/// Why Jenkins's hash fails at a load of 70 %.
void explain_jump(const Results& results, Report& report) {
  const std::string id = probing_id("words", kNamedHashes[2], 0.70);
  const double total = results.number(id, "total_collisions");
  const double collisions = results.number(id, "collisions");
  const auto keys = static_cast<std::uint64_t>(std::llround(total / collisions));
  const FoldedLoad fold = folded(results, "words", 0.70);
  report.paragraph(
      "Jenkins's jump at 70 %: its range takes the low b bits of the value, with 2^b the least "
      "power of two that is not below m, and folds values from m on back by exclusive or with m. "
      "They fall on [2^j, 2^(j+1)) for the bits j that m has not, which are hit twice as often: at "
      "70 % a load of " +
      report::fixed(fold.twice, 3) + " in one stretch of " + report::percent(fold.doubled, 1) +
      " of the keys, and " + report::fixed(fold.once, 3) +
      " elsewhere. Above 1 there is no room: the surplus runs over into the entries that follow, "
      "and every key there meets all that wait, " +
      report::fixed(collisions, 0) +
      " collisions a key here. Their number grows with n, as that of no "
      "other function does; below 70 % the twofold load is below 1.");
  std::string printed =
      "The printed 88.76 and 381.69 cannot be the whole count: there were " +
      report::grouped(static_cast<std::uint64_t>(total)) + " collisions of " +
      report::grouped(keys) +
      " keys here, and of 10,935,928 keys a counter of 32 bits shows no rate above 2^32 / n = "
      "392.7.";
  if (keys == printed::kKeys) {
    const double urls =
        results.number(probing_id("urls", kNamedHashes[2], 0.70), "total_collisions");
    printed += " The printed times are " +
               report::fixed(1e6 * printed::kWordsProbing[0].time[2] / total, 2) +
               " us for each of these (" +
               report::fixed(1e6 * printed::kUrlsProbing[0].time[2] / urls, 2) +
               " us on URLs), what one comparison with a key elsewhere in memory took: the times "
               "are right, and the counter ran over.";
  }
  report.paragraph(printed);
}

void report_linear_probing(const Results& results, Report& report) {
  report.heading(3, "Table 4.3: the vocabulary");
  report_collisions(results, report, "words", printed::kWordsProbing);
  report_times(results, report, "words", printed::kWordsProbing);
  explain_jump(results, report);
  report.heading(3, "Table 4.4: the URLs");
  report_collisions(results, report, "urls", printed::kUrlsProbing);
  report_times(results, report, "urls", printed::kUrlsProbing);
  const auto seconds = [&](const std::string& set, std::size_t hash) {
    return results.number(probing_id(set, kNamedHashes[hash], 0.50), "seconds");
  };
  const Json& words = results[probing_id("words", kNamedHashes[0], 0.50)];
  const double now = seconds("words", 0) / words.at("searched").get<double>();
  const double old = printed::kWordsProbing[4].time[0] / static_cast<double>(printed::kKeys);
  report.paragraph(
      "Differs: at 50 % with `hu` a key takes " + report::fixed(old / now, 1) +
      " times as long in the document as here. `hu` takes " +
      report::fixed(seconds("words", 0) / seconds("words", 3), 2) +
      " times as long as XXH3 on words and " +
      report::fixed(seconds("urls", 0) / seconds("urls", 3), 2) + " times on URLs, `hz` " +
      report::fixed(seconds("words", 1) / seconds("words", 3), 2) + " and " +
      report::fixed(seconds("urls", 1) / seconds("urls", 3), 2) + ", `hj` " +
      report::fixed(seconds("words", 2) / seconds("words", 3), 2) + " and " +
      report::fixed(seconds("urls", 2) / seconds("urls", 3), 2) +
      ". Crivo's `hu`, `hz` and `hj` compute four words of 32 bits at once, of which linear "
      "probing "
      "uses one; the document's computed one. Its order on long keys, `hj` before `hu` before "
      "`hz`, "
      "came of a cache of 512 KiB, which Zobrist's table of 491 KB filled.");
}

}  // namespace

ProbingTimes probing_times(const Results& results, std::string_view set, const NamedHash& hash) {
  ProbingTimes times;
  for (const double load : kLoads) {
    const std::string id = probing_id(set, hash, load);
    if (results.number(id, "total_collisions") > double{kMaxCollisions}) continue;
    times.loads.push_back(load);
    times.seconds.push_back(results.number(id, "seconds"));
  }
  return times;
}

Experiment linear_probing_experiment() {
  return {"linear-probing",
          "Linear probing by load factor and hash function (dissertation, section 4.2)",
          measure_linear_probing, report_linear_probing};
}

}  // namespace crivo::experiments
