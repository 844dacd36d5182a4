// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "experiments/attempts.hpp"
#include "experiments/dissertation_growth.hpp"
#include "experiments/printed/dissertation.hpp"

namespace crivo::experiments {
namespace {

using report::Plot;
using report::Point;
using report::Series;

/// The sizes of the document's tables.
const std::vector<std::uint64_t>& printed_sizes() {
  static const std::vector<std::uint64_t> kPrintedSizes{50'000,  100'000,   200'000,   400'000,
                                                        800'000, 1'600'000, 3'200'000, 6'400'000};
  return kPrintedSizes;
}

const std::array<printed::Growth, printed::kHashes>& printed_growth(std::string_view algorithm) {
  if (algorithm == "mwhc2") return printed::kMwhc2Growth;
  return algorithm == "mwhc3" ? printed::kMwhc3Growth : printed::kFchGrowth;
}

/// A field's values in all repetitions, each plus the hashing if that is asked for; empty where the
/// algorithm has no such field, or was not measured with this hash.
std::vector<double> repetitions_of(const Results& results, const NamedAlgorithm& algorithm,
                                   const NamedHash& hash, std::uint64_t keys, const char* field,
                                   bool with_hashing = false) {
  if (!results.measured(growth_step(hash, keys))) return {};
  std::vector<double> all;
  for (std::uint64_t block = 0; results.has(growth_step(hash, keys, block)); ++block) {
    const Json& step = results[growth_step(hash, keys, block)];
    const auto found = step.find(std::string(algorithm.name));
    if (found == step.end() || !found->contains(field)) continue;
    const auto values = found->at(field).get<std::vector<double>>();
    const auto hashing = found->at("hashing_seconds").get<std::vector<double>>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      all.push_back(values[i] + (with_hashing ? hashing[i] : 0));
    }
  }
  return all;
}

/// The highest load of the steps of a size; NaN where they do not say it.
double most_load(const Results& results, const NamedHash& hash, std::uint64_t keys) {
  double most = report::kNone;
  for (std::uint64_t block = 0; results.has(growth_step(hash, keys, block)); ++block) {
    const auto taken = results.taken(growth_step(hash, keys, block));
    if (taken) most = std::fmax(most, taken->load);
  }
  return most;
}

Summary summary_or_none(const std::vector<double>& values) {
  return values.empty() ? Summary{.mean = report::kNone} : summary(values);
}

/// Time is about n to this power: the slope of the logarithms, with its interval.
struct Power {
  Summary slope;
  double r = 0;
};

Power power_of(const std::vector<double>& keys, const std::vector<double>& seconds) {
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    x.push_back(std::log(keys[i]));
    y.push_back(std::log(seconds[i]));
  }
  const Line line = regression(x, y);
  const auto n = static_cast<double>(x.size());
  const double error =
      std::abs(line.slope) * std::sqrt(std::max(0.0, (1 / (line.r * line.r) - 1) / (n - 2)));
  return {{.count = x.size(),
           .mean = line.slope,
           .deviation = error,
           .half_width = student_quantile(0.975, n - 2) * error},
          line.r};
}

/// Against a power: agrees inside of a narrow interval.
Verdict verdict_of(const Power& power, double figure) {
  if (std::abs(power.slope.mean - figure) > power.slope.half_width) return Verdict::differs;
  return power.slope.half_width <= 0.1 * figure ? Verdict::agrees : Verdict::inconclusive;
}

Power measured_power(const Results& results, const NamedAlgorithm& algorithm,
                     const NamedHash& hash) {
  std::vector<double> keys;
  std::vector<double> seconds;
  for (const std::uint64_t size : growth_sizes(results)) {
    const auto all = repetitions_of(results, algorithm, hash, size, "seconds", true);
    if (all.empty()) continue;
    keys.push_back(static_cast<double>(size));
    seconds.push_back(summary(all).mean);
  }
  if (keys.size() < 4) return {{.mean = report::kNone}, 0};  // too few for a line
  return power_of(keys, seconds);
}

Power printed_power(std::string_view algorithm, std::size_t hash) {
  const auto& total = printed_growth(algorithm)[hash].total;
  return power_of({printed_sizes().begin(), printed_sizes().end()}, {total.begin(), total.end()});
}

/// The rows of one algorithm and hash.
void report_table(const Results& results, Report& report, const NamedAlgorithm& algorithm,
                  std::size_t hash) {
  const bool fch = algorithm.name == "fch";
  const NamedHash& named = kNamedHashes[hash];
  const std::string printed = report.t("printed", "impresso");
  std::vector<report::Heading> headings{
      "n",     report.t("runs", "execuções"),    fch ? "N_Ih20" : "N_i",
      printed, report.t("verdict", "veredicto"), fch ? "Map." : "Map. + Ord.",
      printed};
  if (fch) headings.insert(headings.end(), {"Ord.", printed});
  headings.insert(headings.end(), {"Pes.", printed, "Total", printed, "DP",
                                   report.t("least / median", "menor / mediana"),
                                   report.t("load", "carga da máquina")});
  report::Table table(std::move(headings));
  const std::vector<std::uint64_t> sizes = growth_sizes(results);
  bool some = false;
  const bool has = sizes == printed_sizes() && hash < kOldHashes && algorithm.of_document;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto all = [&](const char* field, bool with_hashing = false) {
      return repetitions_of(results, algorithm, named, sizes[i], field, with_hashing);
    };
    const auto old = [&](const std::array<double, 8> printed::Growth::*of) {
      return has ? (printed_growth(algorithm.name)[hash].*of)[i] : report::kNone;
    };
    const std::vector<double> totals = all("seconds", true);
    if (totals.empty()) continue;
    const Attempts count = attempts_of(all(fch ? "patterns" : "attempts"));
    const double old_count = old(&printed::Growth::attempts);
    const Summary total = summary(totals);
    const LeastMedian times = times_of(totals);
    std::vector<std::string> row{
        report.grouped(static_cast<double>(sizes[i])),
        std::to_string(totals.size()),
        report.interval(count),
        report.fixed(old_count, 2),
        has ? report.word(verdict(count, old_count, printed::kGrowthRuns)) : "-",
        report.fixed(summary_or_none(all("mapping_seconds", true)).mean, 4),
        report.fixed(old(&printed::Growth::mapping), 2)};
    if (fch) {
      row.push_back(report.fixed(summary_or_none(all("ordering_seconds")).mean, 5));
      row.push_back(report.fixed(old(&printed::Growth::ordering), 4));
    }
    row.push_back(report.fixed(summary_or_none(all("search_seconds")).mean, 4));
    row.push_back(report.fixed(old(&printed::Growth::search), 2));
    row.push_back(report.fixed(total.mean, 4));
    row.push_back(report.fixed(old(&printed::Growth::total), 2));
    row.push_back(total.count > 1 ? report.fixed(total.deviation, 4) : "-");
    row.push_back(report.fixed(times.least, 4) + " / " + report.fixed(times.median, 4));
    row.push_back(report.fixed(most_load(results, named, sizes[i]), 1));
    table.add(std::move(row));
    some = true;
  }
  if (!some) return;
  report.paragraph(std::string(algorithm.symbol) + report.t(" and `", " e `") +
                   std::string(named.symbol) + "`:");
  report.table(table);
}

/// One panel an algorithm; the printed totals as dashed lines.
void report_figure(const Results& results, Report& report, const std::string& name,
                   const std::string& title, const std::vector<std::size_t>& hashes) {
  const std::vector<std::uint64_t> sizes = growth_sizes(results);
  Plot plot{.title = title,
            .subtitle = report.t(
                "Both axes are logarithmic, so that a power of n is a straight line. Intervals: "
                "95 %. Dashed: as printed.",
                "Os dois eixos são logarítmicos, de modo que uma potência de n é uma reta. "
                "Intervalos: 95 %. Tracejado: como impresso."),
            .panels = {},
            .columns = 2};
  for (const NamedAlgorithm& algorithm : kGrowthAlgorithms) {
    report::Panel panel{
        .title = std::string(algorithm.symbol),
        .x = {.title = report.t("n, keys", "n, chaves"), .logarithmic = true},
        .y = {.title = report.t("CPU time, s", "tempo de CPU, s"), .logarithmic = true}};
    for (const std::size_t hash : hashes) {
      const std::string symbol(kNamedHashes[hash].symbol);
      Series series{.title = symbol};
      for (const std::uint64_t keys : sizes) {
        const auto all =
            repetitions_of(results, algorithm, kNamedHashes[hash], keys, "seconds", true);
        if (all.empty()) continue;
        const Summary total = summary(all);
        Point point{.x = static_cast<double>(keys), .y = total.mean};
        if (total.count > 1 && total.half_width < total.mean) {
          point.low = total.mean - total.half_width;
          point.high = total.mean + total.half_width;
        }
        series.points.push_back(point);
      }
      if (!series.points.empty()) panel.series.push_back(std::move(series));
      if (hash >= kOldHashes || !algorithm.of_document || sizes != printed_sizes()) continue;
      Series old{.title = symbol + report.t(", printed", ", impresso"),
                 .points = {},
                 .reference = true,
                 .coloured_as = symbol};
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        old.points.push_back({.x = static_cast<double>(sizes[i]),
                              .y = printed_growth(algorithm.name)[hash].total[i]});
      }
      panel.series.push_back(std::move(old));
    }
    if (!panel.series.empty()) plot.panels.push_back(std::move(panel));
  }
  report.plot(name, plot);
}

void report_powers(const Results& results, Report& report) {
  report::Table table({report.t("function, hash", "função, hash"),
                       report.t("power of n", "potência de n"),
                       report.t("correlation", "correlação"), "linear (1)?",
                       report.t("printed figures' power", "potência dos valores impressos"),
                       report.t("against it", "contra ela")});
  for (const NamedAlgorithm& algorithm : kGrowthAlgorithms) {
    for (std::size_t h = 0; h < kNamedHashes.size(); ++h) {
      const Power power = measured_power(results, algorithm, kNamedHashes[h]);
      if (std::isnan(power.slope.mean)) continue;
      const bool has = algorithm.of_document && h < kOldHashes;
      const Power old = has ? printed_power(algorithm.name, h) : Power{};
      table.add({std::string(algorithm.symbol) + ", " + std::string(kNamedHashes[h].symbol),
                 report.interval(power.slope, 2), report.fixed(power.r, 4),
                 report.word(verdict_of(power, 1)), has ? report.interval(old.slope, 2) : "-",
                 has ? report.word(verdict_of(power, old.slope.mean)) : "-"});
    }
  }
  report.paragraph(report.t(
      "Total time grows as n to the power (the slope of the logarithms, with its 95 % "
      "interval):",
      "O tempo total cresce como n elevado à potência (a inclinação dos logaritmos, com o seu "
      "intervalo de 95 %):"));
  report.table(table);
}

/// N_i of MWHC-2 over all sizes against equation 3.2, and what FCH's time is.
void discuss(const Results& results, Report& report) {
  std::string text =
      report.t("N_i of MWHC-2 over all sizes: ", "N_i da MWHC-2 em todos os tamanhos: ");
  constexpr double kC = 2.09;
  const double theory = 1 / (std::exp(1 / kC) * std::sqrt((kC - 2) / kC));
  for (std::size_t h = 0; h < kOldHashes; ++h) {
    std::vector<double> attempts;
    for (const std::uint64_t keys : growth_sizes(results)) {
      const auto some =
          repetitions_of(results, kGrowthAlgorithms[0], kNamedHashes[h], keys, "attempts");
      attempts.insert(attempts.end(), some.begin(), some.end());
    }
    if (attempts.empty()) continue;
    const Attempts all = attempts_of(attempts);
    text += std::string(h == 0 ? "`" : "; `") + std::string(kNamedHashes[h].symbol) + "` " +
            report.interval(all) + ", " + std::to_string(all.runs) +
            report.t(" runs: ", " execuções: ") + report.word(verdict(all, theory));
  }
  report.paragraph(
      text + report.t(", where equation 3.2 has ", ", onde a equação 3.2 dá ") +
      report.fixed(theory, 2) +
      report.t(" for c = 2.09 (the document prints this expectation as 2.92). These are Crivo's "
               "functions, chosen by salt; the printed `hu` grows from ",
               " para c = 2,09 (o documento imprime essa esperança como 2,92). Estas são as "
               "funções do Crivo, escolhidas por um sal; o `hu` impresso cresce de ") +
      report.fixed(printed::kMwhc2Growth[0].attempts[1], 2) + report.t(" to ", " a ") +
      report.fixed(printed::kMwhc2Growth[0].attempts[5], 2) +
      report.t(" graphs; on the document's own functions see the experiment `faithful`.",
               " grafos; sobre as funções do próprio documento, ver o experimento `faithful`."));
  report.paragraph(
      report.t("The document calls FCH exponential. Over this range its own times with `hz` are n "
               "to the power ",
               "O documento chama o FCH de exponencial. Nesta faixa os seus próprios tempos com "
               "`hz` crescem como n elevado a ") +
      report.interval(printed_power("fch", 1).slope, 2) + report.t(", here ", ", aqui ") +
      report.interval(measured_power(results, kGrowthAlgorithms[2], kNamedHashes[1]).slope, 2) +
      report.t(": a power of n, as the functions h20 that it has to try grow with the largest "
               "buckets, which grow as log n. A failed h20 is given up here at its first clash.",
               ": uma potência de n, pois as funções h20 que tem de tentar crescem com os maiores "
               "buckets, que crescem como log n. Aqui uma h20 que falha é abandonada na primeira "
               "colisão."));
  const std::uint64_t most = growth_sizes(results).back();
  const auto mwhc3 = repetitions_of(results, kGrowthAlgorithms[1], kXxh3, most, "seconds", true);
  const auto fast = repetitions_of(results, kGrowthAlgorithms[3], kXxh3, most, "seconds", true);
  if (mwhc3.empty() || fast.empty()) return;
  report.paragraph(
      report.t("Today's `fast` takes ", "O `fast` de hoje leva ") +
      report.fixed(summary(mwhc3).mean / summary(fast).mean, 1) +
      report.t(" times less than MWHC-3 on the most keys, hashing and sorting counted.",
               " vezes menos que a MWHC-3 no maior número de chaves, contando hash e ordenação."));
}

}  // namespace

void report_growth(const Results& results, Report& report) {
  report.heading(3, report.t("Figures 4.1 and 4.2: total time of generation against n",
                             "Figuras 4.1 e 4.2: tempo total de geração em função de n"));
  report_figure(results, report, "figure-4.1",
                report.t("Figure 4.1: time of generation with hu and hz",
                         "Figura 4.1: tempo de geração com hu e hz"),
                {0, 1});
  report_figure(results, report, "figure-4.2",
                report.t("Figure 4.2: time of generation with hj, and with XXH3 today",
                         "Figura 4.2: tempo de geração com hj, e com XXH3 hoje"),
                {2, 3});
  report_powers(results, report);
  discuss(results, report);
  report.heading(3, report.t("Tables 4.13 to 4.15: MWHC-2 and MWHC-3",
                             "Tabelas 4.13 a 4.15: MWHC-2 e MWHC-3"));
  for (const NamedAlgorithm& algorithm : std::span(kGrowthAlgorithms).first(2)) {
    for (std::size_t hash = 0; hash < kNamedHashes.size(); ++hash) {
      report_table(results, report, algorithm, hash);
    }
  }
  report.heading(3, report.t("Tables 4.16 and 4.17: FCH", "Tabelas 4.16 e 4.17: FCH"));
  for (std::size_t hash = 0; hash < kOldHashes; ++hash) {
    report_table(results, report, kGrowthAlgorithms[2], hash);
  }
  report.heading(3, report.t("The same work today", "O mesmo trabalho hoje"));
  report_table(results, report, kGrowthAlgorithms[3], kOldHashes);
}

}  // namespace crivo::experiments
