// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/printed/thesis.hpp"
#include "experiments/thesis_hyphenation.hpp"

namespace crivo::experiments {
namespace {

using report::Point;
using report::Series;

/// The repetitions that measured the filter, of which the first has all of them.
std::vector<const Json*> steps_of(const Results& results, const std::string& filter) {
  std::vector<const Json*> steps;
  for (unsigned r = 0; r < results.number("language", "repetitions"); ++r) {
    if (!results.measured(repetition_id(r))) continue;
    const Json& step = results[repetition_id(r)];
    if (step.contains(filter)) steps.push_back(&step);
  }
  return steps;
}

/// A time by epsilon, 1 % first: of each value all repetitions, in ms.
struct Curve {
  std::string name;
  std::vector<double> percents;
  std::vector<Summary> times;
  std::vector<LeastMedian> leasts;

  std::vector<double> means() const {
    std::vector<double> values;
    values.reserve(times.size());
    for (const Summary& time : times) values.push_back(time.mean);
    return values;
  }
  Line line() const { return regression(percents, means()); }
};

Curve curve_of(const Results& results, const std::string& filter, const char* field) {
  Curve curve{.name = filter, .percents = {}, .times = {}, .leasts = {}};
  for (unsigned percents = 1; percents <= kMostPercent; ++percents) {
    std::vector<double> times;
    for (const Json* const step : steps_of(results, filter)) {
      times.push_back(1e3 * step->at(filter).at(percents - 1).at(field).get<double>());
    }
    curve.percents.push_back(percents);
    curve.times.push_back(summary(times));
    curve.leasts.push_back(times_of(times));
  }
  return curve;
}

/// Whether the regression line rises or falls further from 0 than chance brings it in 95 of 100
/// cases (Student's t with 18 degrees of freedom): -1, 0 or 1.
int tendency(const Line& line) {
  const double degrees = kMostPercent - 2;
  const double t = std::abs(line.r) * std::sqrt(degrees / (1 - line.r * line.r));
  if (!(t > student_quantile(0.975, degrees))) return 0;
  return line.slope < 0 ? -1 : 1;
}

std::string tendency_text(const Report& report, const Line& line) {
  const std::string slope =
      " (" + report.fixed(1e3 * line.slope, 2) +
      report.t(" us a percentage point, r = ", " us por ponto percentual, r = ") +
      report.fixed(line.r, 2) + ")";
  switch (tendency(line)) {
    case -1:
      return report.t("it falls as epsilon grows", "cai quando epsilon cresce") + slope;
    case 1:
      return report.t("it grows with epsilon", "cresce com epsilon") + slope;
    default:
      return report.t("it has no clear tendency", "não tem tendência clara") + slope;
  }
}

Series series_of(const Curve& curve) {
  Series series{.title = curve.name};
  for (std::size_t i = 0; i < curve.times.size(); ++i) {
    const Summary& time = curve.times[i];
    Point point{.x = curve.percents[i], .y = time.mean};
    if (time.count > 1) {
      point.low = std::max(0.0, time.mean - time.half_width);
      point.high = time.mean + time.half_width;
    }
    series.points.push_back(point);
  }
  return series;
}

report::Panel panel_of(const Report& report, const std::string& title, std::vector<Series> series) {
  return {.title = title,
          .x = {.title = "epsilon (%)", .low = 0},
          .y = {.title = report.t("mean CPU time (ms)", "tempo médio de CPU (ms)"), .low = 0},
          .series = std::move(series)};
}

void show(Report& report, unsigned figure, const std::string& title,
          std::vector<report::Panel> panels) {
  report.plot("thesis-5-" + std::to_string(figure),
              {.title = title,
               .subtitle = report.t("95 % intervals; the thesis's figures have no numbers",
                                    "Intervalos de 95 %; as figuras da monografia não têm números"),
               .panels = std::move(panels),
               .columns = 2});
}

std::string ns_a_word(const Report& report, double ms, double words) {
  return report.fixed(1e6 * ms / words, 0) + " ns";
}

/// How much longer a repetition took with a cuckoo filter than with a Bloom filter, in ms, at one
/// epsilon, or on average over all.
std::vector<double> differences(const Results& results, const char* field, unsigned first,
                                unsigned last) {
  std::vector<double> all;
  for (const Json* const step : steps_of(results, "cuckoo")) {
    double sum = 0;
    for (unsigned i = first; i <= last; ++i) {
      sum += step->at("cuckoo").at(i - 1).at(field).get<double>() -
             step->at("bloom").at(i - 1).at(field).get<double>();
    }
    all.push_back(1e3 * sum / (last - first + 1));
  }
  return all;
}

/// All curves of one of the two times.
struct Curves {
  std::vector<Curve> all;  ///< as kHyphenationFilters

  Curves(const Results& results, const char* field) {
    for (const char* filter : kHyphenationFilters) all.push_back(curve_of(results, filter, field));
  }

  const Curve& bloom() const { return all[0]; }
  const Curve& cuckoo() const { return all[1]; }
  /// The mean over all epsilon, of Bloom's.
  double relative(std::size_t filter) const {
    return summary(all[filter].means()).mean / summary(bloom().means()).mean;
  }
};

report::Table table_of(const Report& report, const Curves& curves) {
  std::vector<report::Heading> headings{"epsilon"};
  for (const char* filter : kHyphenationFilters) headings.emplace_back(filter);
  report::Table rows(std::move(headings));
  for (std::size_t i = 0; i < kMostPercent; ++i) {
    std::vector<std::string> row{std::to_string(i + 1) + " %"};
    for (const Curve& curve : curves.all) {
      row.push_back(report.interval(curve.times[i], 3) + " (" +
                    report.fixed(curve.leasts[i].least, 3) + " / " +
                    report.fixed(curve.leasts[i].median, 3) + ")");
    }
    rows.add(std::move(row));
  }
  return rows;
}

std::string printed_finding(const Report& report, unsigned figure) {
  return report.t("Printed: ", "Impresso: ") +
         report.t(printed::kHyphenationFindings[figure - 1],
                  printed::kHyphenationFindingsInPortuguese[figure - 1]) +
         ". ";
}

std::string time_name(const Report& report, bool initialisation) {
  return initialisation
             ? report.t("initialisation", "inicialização")
             : report.t("hyphenation of the word list", "hifenização da lista de palavras");
}

void report_one(Report& report, unsigned figure, const Curve& curve, bool initialisation) {
  const std::string title = report.t("Figure 5.", "Figura 5.") + std::to_string(figure) +
                            report.t(": mean time of ", ": tempo médio de ") +
                            time_name(report, initialisation) + ", " + curve.name;
  report.heading(3, title);
  const Line line = curve.line();
  Series regressed{
      .title = report.t("regression line", "reta de regressão"),
      .style = Series::Style::line,
      .points = {{.x = 1, .y = line.at(1)}, {.x = kMostPercent, .y = line.at(kMostPercent)}},
      .reference = true};
  show(report, figure, title, {panel_of(report, "", {series_of(curve), regressed})});
  const int printed = printed::kHyphenationTendencies[figure - 1];
  const int found = tendency(line);
  const Verdict verdict = found == printed ? Verdict::agrees
                          : found == 0     ? Verdict::inconclusive
                                           : Verdict::differs;
  report.paragraph(printed_finding(report, figure) + report.t("Here ", "Aqui ") +
                   tendency_text(report, line) + ": " + report.word(verdict) + ".");
}

void report_both(const Results& results, Report& report, unsigned figure, const Curves& curves,
                 const char* field, bool initialisation) {
  const std::string title = report.t("Figure 5.", "Figura 5.") + std::to_string(figure) +
                            report.t(": mean times of ", ": tempos médios de ") +
                            time_name(report, initialisation) +
                            report.t(" compared", " comparados");
  report.heading(3, title);
  std::vector<Series> today;
  for (std::size_t f = kThesisFilters; f < curves.all.size(); ++f) {
    today.push_back(series_of(curves.all[f]));
  }
  show(report, figure, title,
       {panel_of(report, report.t("the thesis's filters", "os filtros da monografia"),
                 {series_of(curves.bloom()), series_of(curves.cuckoo())}),
        panel_of(report, report.t("today's", "os de hoje"), std::move(today))});
  unsigned slower = 0;
  unsigned faster = 0;
  for (unsigned percents = 1; percents <= kMostPercent; ++percents) {
    const Summary one = summary(differences(results, field, percents, percents));
    if (one.count < 2 || std::abs(one.mean) <= one.half_width) continue;
    (one.mean > 0 ? slower : faster) += 1;
  }
  const Summary all = summary(differences(results, field, 1, kMostPercent));
  const bool decided = all.count > 1 && std::abs(all.mean) > all.half_width;
  const Verdict verdict = !decided       ? Verdict::inconclusive
                          : all.mean > 0 ? Verdict::agrees
                                         : Verdict::differs;
  report.paragraph(
      printed_finding(report, figure) +
      report.t("Here, of the 20 values of epsilon, it is surely longer with a cuckoo filter at ",
               "Aqui, dos 20 valores de epsilon, é seguramente maior com um cuckoo filter em ") +
      std::to_string(slower) + report.t(", surely shorter at ", ", seguramente menor em ") +
      std::to_string(faster) + report.t(" and inconclusive at ", " e inconclusivo em ") +
      std::to_string(kMostPercent - slower - faster) +
      report.t("; on average over all of them the difference is ",
               "; em média sobre todos a diferença é ") +
      report.interval(all, 3) +
      report.t(" ms, of pairs in one repetition. As to taking longer: ",
               " ms, de pares em uma repetição. Quanto a demorar mais: ") +
      report.word(verdict) +
      report.t(". Times in ms, means with 95 % intervals (least / median):",
               ". Tempos em ms, médias com intervalos de 95 % (menor / mediana):"));
  report.table(table_of(report, curves));
}

/// What an exact search of every word in the dictionary takes, in ms, beside `alone`, the patterns.
struct Searching {
  double alone = 0;
  double all = 0;

  explicit Searching(const Results& results) {
    std::vector<double> patterns;
    std::vector<double> no_filter;
    for (const Json* const step : steps_of(results, "bloom")) {
      patterns.push_back(1e3 * step->at("patterns alone").at("seconds").get<double>());
      no_filter.push_back(1e3 * step->at("no filter").at("seconds").get<double>());
    }
    alone = times_of(patterns).median;
    all = times_of(no_filter).median - alone;
  }
};

/// How many words a filter let through to the dictionary.
double searches(const Results& results, const char* filter, unsigned percents) {
  return results[repetition_id(0)].at(filter).at(percents - 1).at("lookups").get<double>();
}

/// What the filters are, and what they keep from the dictionary.
void report_work(const Results& results, Report& report, const Searching& searching) {
  constexpr std::array<unsigned, 3> kShown{1, 5, kMostPercent};
  const Json& first = results[repetition_id(0)];
  const auto words = results.number("language", "words");
  const Json& unfiltered = first.at("no filter");
  bool same = true;
  report::Table table(
      {report.t("filter", "filtro"), report.t("bits a key, 1 %", "bits por chave, 1 %"), "5 %",
       "20 %", report.t("dictionary searches, 1 %", "buscas no dicionário, 1 %"), "5 %", "20 %"});
  table.add({report.t("none", "nenhum"), "", "", "",
             report.grouped(unfiltered.at("lookups").get<double>())});
  for (const char* filter : kHyphenationFilters) {
    const Json& by_percent = first.at(filter);
    std::vector<std::string> row{filter};
    for (const unsigned percents : kShown) {
      row.push_back(report.fixed(by_percent.at(percents - 1).at("bits_per_key").get<double>(), 2));
    }
    for (const unsigned percents : kShown) {
      row.push_back(report.grouped(searches(results, filter, percents)));
    }
    table.add(std::move(row));
    same = same && std::ranges::all_of(by_percent, [&](const Json& one) {
             return one.at("hyphens") == unfiltered.at("hyphens") &&
                    one.at("found") == unfiltered.at("found");
           });
  }
  report.table(table);
  report.paragraph(
      (same ? report.t("Every filter, at every epsilon, gives the same hyphens as none",
                       "Cada filtro, com cada epsilon, dá os mesmos hifens que nenhum")
            : report.t("FILTERS DIFFER IN THEIR HYPHENS", "OS FILTROS DIFEREM NOS HIFENS")) +
      ": " + report.grouped(unfiltered.at("hyphens").get<double>()) + report.t(", and ", ", e ") +
      report.grouped(unfiltered.at("found").get<double>()) +
      report.t(" words are exceptions. By patterns alone a word takes ",
               " palavras são exceções. Só pelos padrões uma palavra leva ") +
      ns_a_word(report, searching.alone, words) +
      report.t("; with each word searched in the dictionary ",
               "; com cada palavra buscada no dicionário ") +
      ns_a_word(report, searching.all, words) +
      report.t(" more (medians).", " a mais (medianas)."));
}

/// What the times are made of.
void report_parts(const Results& results, Report& report, const Searching& searching,
                  const Curves& hyphenation) {
  const double words = results.number("language", "words");
  std::string text = report.t("What the times are made of: ", "Do que se compõem os tempos: ");
  for (std::size_t f = 0; f < kThesisFilters; ++f) {
    const char* const filter = kHyphenationFilters[f];
    const Curve asking = curve_of(results, filter, "asking_seconds");
    const double more =
        std::max(0.0, searches(results, filter, kMostPercent) - searches(results, filter, 1));
    const Line line = hyphenation.all[f].line();
    text += (f == 0 ? "" : "; ") +
            report.t("asking a " + std::string(filter) + " filter alone takes ",
                     "só consultar um " + std::string(filter) + " filter leva ") +
            ns_a_word(report, asking.leasts.front().median, words) +
            report.t(" a word at 1 % and ", " por palavra com 1 % e ") +
            ns_a_word(report, asking.leasts.back().median, words) +
            report.t(" at 20 %, but it lets ", " com 20 %, mas deixa passar ") +
            report.grouped(more) +
            report.t(" words more through to the dictionary, at what a search of every word costs ",
                     " palavras a mais para o dicionário, ao custo de uma busca de cada palavra ") +
            ns_a_word(report, searching.all * more / words, words) +
            report.t(" a word; on the regression line 20 % costs ",
                     " por palavra; na reta de regressão 20 % custa ") +
            ns_a_word(report, line.at(kMostPercent) - line.at(1), words) +
            report.t(" a word more than 1 %", " por palavra a mais que 1 %");
  }
  report.paragraph(
      text +
      report.t(
          ". The thesis's filters compute a hash function for every probe, in JavaScript; here "
          "a key is hashed once whatever epsilon is, and a filter of a thousand keys lies in "
          "the first-level cache. Which epsilon is best depends on how far away the exceptions "
          "are; in Bloom's own example they are on a disk.",
          ". Os filtros da monografia calculam uma função hash para cada sondagem, em "
          "JavaScript; aqui uma chave é processada uma vez qualquer que seja epsilon, e um "
          "filtro de mil chaves cabe na cache de primeiro nível. Qual epsilon é o melhor "
          "depende da distância das exceções; no exemplo do próprio Bloom estão em um disco."));
}

/// Today's structures at the same work.
void report_today(const Results& results, Report& report, const Curves& initialisation,
                  const Curves& hyphenation) {
  const auto bits = [&](std::size_t filter) {
    return report.fixed(results[repetition_id(0)]
                            .at(kHyphenationFilters[filter])
                            .at(0)
                            .at("bits_per_key")
                            .get<double>(),
                        2);
  };
  std::string text =
      report.t("Today's structures, against a Bloom filter's times: ",
               "As estruturas de hoje, em relação aos tempos de um filtro de Bloom: ");
  for (std::size_t f = kThesisFilters; f < kHyphenationFilters.size(); ++f) {
    text += std::string(kHyphenationFilters[f]) + " " +
            report.fixed(initialisation.relative(f), 2) +
            report.t(" times its initialisation and ", " vezes a inicialização e ") +
            report.fixed(hyphenation.relative(f), 2) +
            report.t(" times its hyphenation, with ", " vezes a hifenização, com ") + bits(f) +
            report.t(" bits a key at 1 %; ", " bits por chave com 1 %; ");
  }
  report.paragraph(text + report.t("the Bloom filter has ", "o filtro de Bloom tem ") + bits(0) +
                   ".");
}

}  // namespace

void report_hyphenation(const Results& results, Report& report) {
  if (!results.measured("language") || !results.measured(repetition_id(0))) return;
  const auto number = [&](const char* field) {
    return report.grouped(results.number("language", field));
  };
  report.paragraph(
      report.t("The thesis hyphenates ", "A monografia hifeniza ") +
      report.grouped(printed::kHyphenatedWords) +
      report.t(
          " English words by Knuth and Liang's algorithm (hypher, in JavaScript), with the ",
          " palavras inglesas pelo algoritmo de Knuth e Liang (hypher, em JavaScript), com as ") +
      report.grouped(printed::kHyphenexExceptions) +
      report.t(
          " exceptions of hyphenex behind a filter, for its rates epsilon from 1 % to 20 %, each "
          "30 times. Here it is ",
          " exceções de hyphenex atrás de um filtro, para taxas epsilon de 1 % a 20 %, 30 vezes "
          "cada. Aqui são ") +
      number("words") +
      report.t(" words, evenly spaced in Debian's `american-english-insane`, by the ",
               " palavras, regularmente espaçadas em `american-english-insane` do Debian, pelos ") +
      number("patterns") +
      report.t(" patterns of Debian's `hyphen-en-us`, and ",
               " padrões de `hyphen-en-us` do Debian, e ") +
      number("exceptions") +
      report.t(
          " exceptions: those of the same list that the package holds, as patterns of whole "
          "words. They stand in a dictionary in memory, as the thesis's do. Bloom and cuckoo "
          "filters are measured ",
          " exceções: as da mesma lista que o pacote tem, como padrões de palavras inteiras. "
          "Ficam em um dicionário em memória, como as da monografia. Filtros de Bloom e cuckoo "
          "são medidos ") +
      std::to_string(steps_of(results, "bloom").size()) +
      report.t(" times, today's ", " vezes, os de hoje ") +
      std::to_string(steps_of(results, "ribbon").size()) +
      report.t("; the initialisation hashes all exceptions and makes the filter. Loading the "
               "patterns, the same for all, takes ",
               "; a inicialização processa todas as exceções e constrói o filtro. Carregar os "
               "padrões, igual para todos, leva ") +
      report.fixed(1e3 * results.number("language", "load_seconds"), 1) +
      report.t(" ms and is left out.", " ms e fica de fora."));
  const Searching searching(results);
  report_work(results, report, searching);
  const Curves initialisation(results, "initialisation_seconds");
  const Curves hyphenation(results, "seconds");
  report_one(report, 1, initialisation.bloom(), true);
  report_one(report, 2, hyphenation.bloom(), false);
  report_one(report, 3, initialisation.cuckoo(), true);
  report_one(report, 4, hyphenation.cuckoo(), false);
  report_both(results, report, 5, initialisation, "initialisation_seconds", true);
  report_both(results, report, 6, hyphenation, "seconds", false);
  report_parts(results, report, searching, hyphenation);
  report_today(results, report, initialisation, hyphenation);
}

}  // namespace crivo::experiments
