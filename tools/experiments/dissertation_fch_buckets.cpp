#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/dissertation.hpp"
#include "experiments/named_hashes.hpp"
#include "experiments/statistics.hpp"
#include "structures/classic/fch_mapping.hpp"
#include "structures/classic/words.hpp"

namespace crivo::experiments {
namespace {

constexpr std::uint64_t kSeeds = 5;  // the largest bucket varies by one or two: a mean over these

/// The sizes of Figure 4.4, ascending; the last three of Figure 4.3 are among them.
std::vector<std::uint64_t> sizes_of(bool full) {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t n = full ? 50'000 : 625; n <= (full ? 6'400'000U : 80'000U); n *= 2) {
    sizes.push_back(n);
  }
  sizes.push_back(keys_of(full ? Scale::full : Scale::small));
  return sizes;
}

/// Indices in sizes_of() of Figure 4.3's.
constexpr std::array<std::size_t, 3> kDistributions{5, 7, 8};

std::string id_of(const NamedHash& hash, std::uint64_t seed) {
  return std::string(hash.symbol) + "/" + std::to_string(seed);
}

/// How many buckets have 0, 1, 2, ... of the first `keys` values.
std::vector<std::uint64_t> distribution(const std::vector<std::uint32_t>& values,
                                        std::uint64_t keys, classic::Range range) {
  const std::uint32_t buckets = classic::fch_buckets(keys);
  const classic::FchMapping mapping(range, static_cast<std::uint32_t>(keys), buckets);
  std::vector<std::uint32_t> sizes(buckets);
  for (std::uint64_t i = 0; i < keys; ++i) ++sizes[mapping.bucket(values[i])];
  std::vector<std::uint64_t> counts(std::size_t{*std::ranges::max_element(sizes)} + 1);
  for (const std::uint32_t size : sizes) ++counts[size];
  return counts;
}

Json map_words(Run& run, const NamedHash& named, std::uint64_t seed) {
  const KeySet& words = run.key_sets().words();
  const hashing::SeededHash hash = seeded(named, seed);
  std::vector<std::uint32_t> values(words.size());
  for (std::uint64_t i = 0; i < words.size(); ++i) values[i] = classic::words(hash(words[i]), 0)[0];
  Json json = Json::object();
  for (const std::uint64_t keys : sizes_of(run.full())) {
    json[std::to_string(keys)] = distribution(values, keys, named.range);
  }
  return json;
}

void measure_fch_buckets(Run& run) {
  for (const NamedHash& hash : kNamedHashes) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      run.step(id_of(hash, seed), [&] { return map_words(run, hash, seed); });
    }
  }
}

std::vector<double> counts_of(const Results& results, const NamedHash& hash, std::uint64_t seed,
                              std::uint64_t keys) {
  return results[id_of(hash, seed)].at(std::to_string(keys)).get<std::vector<double>>();
}

double largest(const Results& results, const NamedHash& hash, std::uint64_t keys) {
  double sum = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    sum += static_cast<double>(counts_of(results, hash, seed, keys).size() - 1);
  }
  return sum / static_cast<double>(kSeeds);
}

/// The median of the largest of the 0.3 b buckets that 0.6 n keys fall on at random: the size that
/// one of them exceeds with probability 1/2 (Poisson's distribution).
double expected_largest(std::uint64_t keys) {
  const double buckets = 0.3 * classic::fch_buckets(keys);
  const double mean = 0.6 * static_cast<double>(keys) / buckets;
  double term = std::exp(-mean);
  double below = term;
  int size = 0;
  while (buckets * (1 - below) > 0.6931) {
    ++size;
    term *= mean / size;
    below += term;
  }
  return size;
}

void report_distribution(const Results& results, Report& report, bool full) {
  const std::vector<std::uint64_t> sizes = sizes_of(full);
  Plot plot{.name = "figure-4.3",
            .title = "Figure 4.3: sizes of the buckets of FCH with hz and hj",
            .x = {"size of a bucket, keys", false},
            .y = {"part of the buckets", true},
            .series = {}};
  for (const std::size_t hash : {1U, 2U}) {
    for (const std::size_t i : kDistributions) {
      Series series{std::string(kNamedHashes[hash].symbol) + " n = " + report::grouped(sizes[i]),
                    Series::Style::linespoints,
                    {}};
      const std::vector<double> counts = counts_of(results, kNamedHashes[hash], 0, sizes[i]);
      const double buckets = classic::fch_buckets(sizes[i]);
      for (std::size_t size = 0; size < counts.size(); ++size) {
        if (counts[size] > 0) {
          series.points.push_back({static_cast<double>(size), counts[size] / buckets});
        }
      }
      plot.series.push_back(std::move(series));
    }
  }
  report.heading(3, "Figure 4.3: distribution of the sizes of buckets");
  report.plot(plot);
  report.paragraph(
      "Agrees: as n grows the part of small buckets falls and that of large ones rises, and `hj` "
      "makes larger "
      "ones than `hz`, since its range hits some values twice as often. The two humps of each "
      "curve are the 70 % of the buckets that have 40 % of the keys, and the others. `hu` and XXH3 "
      "are as `hz`.");
}

void report_largest(const Results& results, Report& report, bool full) {
  const std::vector<std::uint64_t> sizes = sizes_of(full);
  Plot plot{.name = "figure-4.4",
            .title = "Figure 4.4: size of the largest bucket of FCH",
            .x = {"n, keys", true},
            .y = {"largest bucket, keys", false},
            .series = {}};
  report::Table table({"n", "expected", "hu", "hz", "hj", "XXH3"});
  std::vector<double> logarithms;
  std::array<std::vector<double>, kNamedHashes.size()> values;
  for (const std::uint64_t keys : sizes) {
    logarithms.push_back(std::log2(static_cast<double>(keys)));
    std::vector<std::string> cells{report::grouped(keys), report::fixed(expected_largest(keys), 0)};
    for (std::size_t hash = 0; hash < kNamedHashes.size(); ++hash) {
      values[hash].push_back(largest(results, kNamedHashes[hash], keys));
      cells.push_back(report::fixed(values[hash].back(), 1));
    }
    table.add(std::move(cells));
  }
  for (std::size_t hash = 0; hash < kNamedHashes.size(); ++hash) {
    Series series{std::string(kNamedHashes[hash].symbol), Series::Style::linespoints, {}};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      series.points.push_back({static_cast<double>(sizes[i]), values[hash][i]});
    }
    plot.series.push_back(std::move(series));
  }
  const Line zobrist = regression(logarithms, values[1]);
  const Line jenkins = regression(logarithms, values[2]);
  report.heading(3, "Figure 4.4: the largest bucket against log n");
  report.plot(plot);
  report.table(table);
  report.paragraph(
      "Agrees: the largest bucket grows as log n, by " + report::fixed(zobrist.slope, 2) +
      " keys each time n doubles with `hz` (correlation with log n " + report::fixed(zobrist.r, 3) +
      ") and by " + report::fixed(jenkins.slope, 2) + " with `hj` (" + report::fixed(jenkins.r, 3) +
      "), which has the largest. Means over " + std::to_string(kSeeds) +
      " seeds; \"expected\" is the median for addresses that are equally likely. The document has "
      "this as a curve without figures.");
}

void report_fch_buckets(const Results& results, Report& report) {
  const bool full = results.about().scale == "full";
  report_distribution(results, report, full);
  report_largest(results, report, full);
}

}  // namespace

Experiment fch_buckets_experiment() {
  return {"fch-buckets", "The buckets of FCH (dissertation, Figures 4.3 and 4.4)",
          measure_fch_buckets, report_fch_buckets};
}

}  // namespace crivo::experiments
