// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "experiments/dissertation_fch_buckets.hpp"
#include "structures/classic/fch_mapping.hpp"

namespace crivo::experiments {
namespace {

using report::Plot;
using report::Point;
using report::Series;

std::vector<double> counts_of(const Results& results, const NamedHash& hash, std::size_t run,
                              std::uint64_t keys) {
  return results[buckets_step(hash)]
      .at("runs")
      .at(run)
      .at(std::to_string(keys))
      .get<std::vector<double>>();
}

Summary largest(const Results& results, const NamedHash& hash, std::uint64_t keys) {
  std::vector<double> values;
  for (std::size_t run = 0; run < results[buckets_step(hash)].at("runs").size(); ++run) {
    values.push_back(static_cast<double>(counts_of(results, hash, run, keys).size() - 1));
  }
  return summary(values);
}

/// The mean of the largest of the 0.3 b buckets that 0.6 n keys fall on at random (Poisson's
/// distribution, each bucket by itself).
double expected_largest(std::uint64_t keys) {
  const double buckets = 0.3 * classic::fch_buckets(keys);
  const double mean = 0.6 * static_cast<double>(keys) / buckets;
  double term = std::exp(-mean);
  double below = term;
  double expected = 0;
  for (int size = 0; size < 1000; ++size) {  // the sum of P(largest > size)
    expected += 1 - std::pow(below, buckets);
    term *= mean / (size + 1);
    below = std::min(1.0, below + term);
  }
  return expected;
}

/// The part of the buckets that have fewer than four keys.
double small_part(const Results& results, std::size_t hash, std::uint64_t keys) {
  const std::vector<double> counts = counts_of(results, kNamedHashes[hash], 0, keys);
  double part = 0;
  for (std::size_t size = 0; size < std::min<std::size_t>(4, counts.size()); ++size) {
    part += counts[size] / classic::fch_buckets(keys);
  }
  return part;
}

void report_distribution(const Results& results, Report& report) {
  const std::vector<std::uint64_t> sizes = bucket_sizes(results);
  std::vector<std::uint64_t> shown{sizes.front(), sizes.back()};
  if (sizes.size() >= 9) shown = {sizes[5], sizes[7], sizes[8]};  // as the document's
  Plot plot{.title = report.t("Figure 4.3: sizes of the buckets of FCH with hz and hj",
                              "Figura 4.3: tamanhos dos buckets do FCH com hz e hj"),
            .subtitle = {},
            .panels = {},
            .columns = 2};
  for (const std::size_t hash : {1U, 2U}) {
    report::Panel panel{
        .title = std::string(kNamedHashes[hash].symbol),
        .x = {.title = report.t("size of a bucket, keys", "tamanho de um bucket, chaves")},
        .y = {.title = report.t("part of the buckets", "parte dos buckets"), .low = 0},
        .series = {}};
    for (const std::uint64_t keys : shown) {
      Series series{.title = "n = " + report.grouped(static_cast<double>(keys)),
                    .style = Series::Style::line};
      const std::vector<double> counts = counts_of(results, kNamedHashes[hash], 0, keys);
      const double buckets = classic::fch_buckets(keys);
      for (std::size_t size = 0; size < counts.size(); ++size) {
        series.points.push_back({.x = static_cast<double>(size), .y = counts[size] / buckets});
      }
      panel.series.push_back(std::move(series));
    }
    plot.panels.push_back(std::move(panel));
  }
  report.heading(3, report.t("Figure 4.3: distribution of the sizes of buckets",
                             "Figura 4.3: distribuição dos tamanhos dos buckets"));
  report.plot("figure-4.3", plot);
  const double before = small_part(results, 1, shown.front());
  const double after = small_part(results, 1, shown.back());
  const bool larger = largest(results, kNamedHashes[2], sizes.back()).mean >
                      largest(results, kNamedHashes[1], sizes.back()).mean;
  report.paragraph(
      report.t("Printed: as n grows the part of small buckets falls, and `hj` makes larger ones. "
               "With `hz`, buckets of fewer than 4 keys are ",
               "Impresso: quando n cresce a parte dos buckets pequenos diminui, e `hj` gera "
               "maiores. Com `hz`, buckets com menos de 4 chaves são ") +
      report.percent(before, 1) +
      report.t(" of all at the least of these n and ", " de todos no menor destes n e ") +
      report.percent(after, 1) + report.t(" at the most: ", " no maior: ") +
      report.word(after < before ? Verdict::agrees : Verdict::differs) +
      report.t("; the largest bucket of `hj` is larger than that of `hz`: ",
               "; o maior bucket de `hj` é maior que o de `hz`: ") +
      report.word(larger ? Verdict::agrees : Verdict::differs) +
      report.t(". The two humps of each curve are the 70 % of the buckets that have 40 % of the "
               "keys, and the others.",
               ". Os dois picos de cada curva são os 70 % dos buckets que têm 40 % das chaves, "
               "e os demais."));
}

void report_largest(const Results& results, Report& report) {
  const std::vector<std::uint64_t> sizes = bucket_sizes(results);
  const std::string theory = report.t("theory", "teoria");
  report::Table table({"n", theory, "hu", "hz", "hj", "XXH3",
                       report.t("hu, hz, XXH3 against theory", "hu, hz, XXH3 contra a teoria")});
  std::vector<double> logarithms;
  std::array<std::vector<double>, kNamedHashes.size()> means;
  report::Panel panel{
      .title = {},
      .x = {.title = report.t("n, keys", "n, chaves"), .logarithmic = true},
      .y = {.title = report.t("largest bucket, keys", "maior bucket, chaves"), .low = 0},
      .series = {{.title = theory, .style = Series::Style::line, .points = {}, .reference = true}}};
  for (const NamedHash& hash : kNamedHashes) {
    panel.series.push_back({.title = std::string(hash.symbol)});
  }
  std::size_t runs = 0;
  for (const std::uint64_t keys : sizes) {
    const double expected = expected_largest(keys);
    logarithms.push_back(std::log2(static_cast<double>(keys)));
    panel.series[0].points.push_back({.x = static_cast<double>(keys), .y = expected});
    std::vector<std::string> row{report.grouped(static_cast<double>(keys)),
                                 report.fixed(expected, 1)};
    std::string verdicts;
    for (std::size_t h = 0; h < kNamedHashes.size(); ++h) {
      const Summary all = largest(results, kNamedHashes[h], keys);
      runs = all.count;
      means[h].push_back(all.mean);
      row.push_back(report.interval(all, 1));
      Point point{.x = static_cast<double>(keys), .y = all.mean};
      if (all.count > 1) {
        point.low = all.mean - all.half_width;
        point.high = all.mean + all.half_width;
      }
      panel.series[h + 1].points.push_back(point);
      if (h == 2) continue;
      verdicts +=
          (verdicts.empty() ? "" : ", ") + report.word(verdict(all, expected, 0, 3 * sizes.size()));
    }
    row.push_back(verdicts);
    table.add(std::move(row));
  }
  report.heading(3, report.t("Figure 4.4: the largest bucket against log n",
                             "Figura 4.4: o maior bucket em função de log n"));
  report.plot("figure-4.4", {.title = report.t("Figure 4.4: size of the largest bucket of FCH",
                                               "Figura 4.4: tamanho do maior bucket do FCH"),
                             .subtitle = {},
                             .panels = {panel}});
  report.table(table);
  const Line zobrist = regression(logarithms, means[1]);
  const Line jenkins = regression(logarithms, means[2]);
  report.paragraph(
      report.t("Printed: the largest bucket grows as log n, and that of `hj` is the largest. On "
               "the regression line it grows by ",
               "Impresso: o maior bucket cresce como log n, e o de `hj` é o maior. Na reta de "
               "regressão cresce ") +
      report.fixed(zobrist.slope, 2) +
      report.t(" keys each time n doubles with `hz` (correlation with log n ",
               " chaves cada vez que n dobra com `hz` (correlação com log n ") +
      report.fixed(zobrist.r, 3) + report.t(") and by ", ") e ") + report.fixed(jenkins.slope, 2) +
      report.t(" with `hj` (", " com `hj` (") + report.fixed(jenkins.r, 3) + "): " +
      report.word(std::min(zobrist.r, jenkins.r) > 0.98 ? Verdict::agrees : Verdict::inconclusive) +
      report.t(". Means of ", ". Médias de ") + std::to_string(runs) +
      report.t(" runs; \"theory\" is the mean for addresses that are equally likely. The document "
               "has this as a curve without figures.",
               " execuções; \"teoria\" é a média para endereços igualmente prováveis. No documento "
               "isso é uma curva sem valores."));
}

}  // namespace

void report_fch_buckets(const Results& results, Report& report) {
  for (const NamedHash& hash : kNamedHashes) {
    if (!results.measured(buckets_step(hash))) return;
  }
  report_distribution(results, report);
  report_largest(results, report);
}

}  // namespace crivo::experiments
