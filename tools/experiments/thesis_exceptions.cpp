// SPDX-License-Identifier: Apache-2.0
// The experiment `exceptions`: Bloom's own case, exceptions on a disk, and Portuguese.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/filters.hpp"
#include "experiments/hyphenated_language.hpp"
#include "experiments/printed/thesis.hpp"
#include "experiments/thesis.hpp"
#include "experiments/thesis_hyphenation.hpp"

namespace crivo::experiments {
namespace {

constexpr std::array kLanguages{"english", "portuguese"};
constexpr unsigned kMostFunctions = 24;
constexpr std::array<unsigned, 3> kPercents{1, 5, 20};
/// What a look-up costs, in hash functions: in memory, on a solid-state drive, on a disk.
constexpr std::array<double, 6> kCosts{10, 100, 1e3, 1e4, 1e5, 1e6};

std::string functions_step(std::string_view language, unsigned functions) {
  return std::string(language) + "/k " + std::to_string(functions);
}
std::string filter_step(std::string_view language, const char* filter, unsigned percents) {
  return std::string(language) + "/" + filter + "/" + std::to_string(percents) + " %";
}
std::string words_step(std::string_view language) {
  return std::string(language) + "/words";
}

/// The words that pass Bloom filters of so many functions each, under several seeds.
Json ask_filters(const HyphenatedLanguage& language, unsigned functions, unsigned filters) {
  Json json{{"filters", filters}, {"positives", 0}};
  for (unsigned seed = 0; seed < filters; ++seed) {
    const FilterOptions options{.type = "bloom", .fpr = std::exp2(-double{1} * functions)};
    const hashing::SeededHash hash = filter_hash(options, seed);
    const BuiltFilter filter = language.build(options, hash);
    Json one;
    language.ask([&](std::string_view word) { return filter.membership->contains(hash(word)); },
                 one);
    json["positives"] =
        json["positives"].get<std::uint64_t>() + one["positives"].get<std::uint64_t>();
  }
  return json;
}

Json hyphenate_behind(const HyphenatedLanguage& language, const FilterOptions& options) {
  const hashing::SeededHash hash = filter_hash(options);
  const BuiltFilter filter = language.build(options, hash);
  Json json = language.hyphenate(
      [&](std::string_view word) { return filter.membership->contains(hash(word)); });
  json["bits_per_key"] = filter.bits_per_key();
  return json;
}

void measure_exceptions(Run& run) {
  constexpr std::uint64_t kSmall = 128;
  for (const std::string_view name : kLanguages) {
    const HyphenatedLanguage language =
        name == "english"
            ? HyphenatedLanguage::english(printed::kHyphenatedWords / (run.full() ? 1 : kSmall))
            : HyphenatedLanguage::portuguese(run.full() ? 1 : kSmall);
    run.step(words_step(name), [&] {
      Json json = language.hyphenate([](std::string_view) { return true; });
      json["words"] = language.words();
      json["exceptions"] = language.exceptions();
      json["patterns"] = language.patterns();
      json["hyphens_of_better_patterns"] = language.hyphens();
      return json;
    });
    for (unsigned k = 1; k <= kMostFunctions; ++k) {
      run.step(functions_step(name, k),
               [&] { return ask_filters(language, k, run.full() ? 32 : 2); });
    }
    if (name == "english") continue;  // the experiment `hyphenation` has its filters
    for (const char* filter : kHyphenationFilters) {
      for (const unsigned percents : kPercents) {
        run.step(filter_step(name, filter, percents), [&] {
          return hyphenate_behind(language, {.type = filter, .fpr = percents / 100.0});
        });
      }
    }
  }
}

std::string title_of(const Report& report, std::string_view language) {
  return language == "english" ? report.t("English", "Inglês")
                               : report.t("Portuguese", "Português");
}

/// The number of functions that costs least a word, where a look-up costs as much as `cost`
/// functions.
struct Best {
  unsigned functions = 0;
  double cost = 0;
};
Best best_of(const Results& results, std::string_view language, double cost) {
  const double words = results.number(words_step(language), "words");
  Best best;
  for (unsigned k = 1; k <= kMostFunctions; ++k) {
    const std::string id = functions_step(language, k);
    const double lookups = results.number(id, "positives") / results.number(id, "filters");
    const double all = k + cost * lookups / words;
    if (k == 1 || all < best.cost) best = {k, all};
  }
  return best;
}

void report_disk(const Results& results, Report& report, std::string_view language) {
  const double words = results.number(words_step(language), "words");
  const double found = results.number(words_step(language), "found");
  const double part = found / words;
  const double asked = words * results.number(functions_step(language, 1), "filters");
  report::Table table({report.t("a look-up costs, in functions", "uma busca custa, em funções"),
                       report.t("best k, measured", "melhor k, medido"), "log2(R (1 - p) ln 2)",
                       report.t("verdict", "veredicto"), report.t("rate there", "taxa ali"),
                       report.t("cost a word there", "custo por palavra ali"),
                       report.t("without a filter", "sem filtro")});
  for (const double cost : kCosts) {
    const Best best = best_of(results, language, cost);
    const double expected = std::log2(cost * (1 - part) * std::log(2.0));
    // Where hardly a word is expected to pass, what passes is chance.
    const Verdict verdict = asked * std::exp2(-expected) < 10          ? Verdict::inconclusive
                            : std::abs(best.functions - expected) <= 1 ? Verdict::agrees
                                                                       : Verdict::differs;
    table.add({report.grouped(cost), std::to_string(best.functions), report.fixed(expected, 1),
               report.word(verdict), "2^-" + std::to_string(best.functions),
               report.fixed(best.cost, 1), report.grouped(cost)});
  }
  report.paragraph(title_of(report, language) + ": " + report.grouped(words) +
                   report.t(" words, of which ", " palavras, das quais ") + report.grouped(found) +
                   report.t(" are exceptions (p = ", " são exceções (p = ") +
                   report.percent(part, 2) + "):");
  report.table(table);
}

void report_portuguese(const Results& results, Report& report) {
  const std::string words = words_step(kLanguages[1]);
  const auto number = [&](const char* field) { return results.number(words, field); };
  report.heading(3, report.t("Hyphenation of Portuguese", "Hifenização do português"));
  bool same = number("hyphens") == number("hyphens_of_better_patterns");
  report::Table table(
      {report.t("filter", "filtro"), report.t("bits a key, 1 %", "bits por chave, 1 %"), "5 %",
       "20 %", report.t("dictionary searches, 1 %", "buscas no dicionário, 1 %"), "5 %", "20 %"});
  for (const char* filter : kHyphenationFilters) {
    std::vector<std::string> row{filter};
    for (const unsigned percents : kPercents) {
      const std::string id = filter_step(kLanguages[1], filter, percents);
      row.push_back(report.fixed(results.number(id, "bits_per_key"), 2));
      same = same && results.number(id, "hyphens") == number("hyphens");
    }
    for (const unsigned percents : kPercents) {
      row.push_back(
          report.grouped(results.number(filter_step(kLanguages[1], filter, percents), "lookups")));
    }
    table.add(std::move(row));
  }
  report.paragraph(
      report.t("The ", "As ") + report.grouped(number("words")) +
      report.t(" words of Debian's `wbrazilian` that are of letters alone, by the ",
               " palavras de `wbrazilian` do Debian formadas só por letras, pelos ") +
      report.grouped(number("patterns")) +
      report.t(" patterns of `hyphen-pt-pt`; the ", " padrões de `hyphen-pt-pt`; as ") +
      report.grouped(number("exceptions")) +
      report.t(" words that the richer patterns of `hyphen-pt-br` break otherwise are the "
               "exceptions, behind a filter. ",
               " palavras que os padrões mais ricos de `hyphen-pt-br` separam de outro modo são "
               "as exceções, atrás de um filtro. ") +
      (same ? report.t("With every filter, at every rate, all words have the hyphens of "
                       "`hyphen-pt-br`: ",
                       "Com cada filtro, em cada taxa, todas as palavras têm os hifens de "
                       "`hyphen-pt-br`: ")
            : report.t("FILTERS DIFFER IN THEIR HYPHENS: ", "OS FILTROS DIFEREM NOS HIFENS: ")) +
      report.grouped(number("hyphens")) + ".");
  report.table(table);
}

void report_exceptions(const Results& results, Report& report) {
  for (const std::string_view language : kLanguages) {
    if (!results.measured(functions_step(language, kMostFunctions))) return;
  }
  if (!results.measured(filter_step(kLanguages[1], kHyphenationFilters.back(), 20))) return;
  report.heading(
      3, report.t("Exceptions on a disk: the best rate", "Exceções em disco: a melhor taxa"));
  report.paragraph(report.t(
      "In Bloom's own case the exceptions are on a disk. A word costs the k functions of the "
      "filter and, if it passes, a look-up: k + R (p + (1 - p) 2^-k), where p of the words are "
      "exceptions, a look-up costs as much as R functions, and the filter has its best size, so "
      "that its rate is 2^-k. That is least at k = log2(R (1 - p) ln 2): each tenfold cost of a "
      "look-up asks for 3.3 functions and 4.8 bits a key more. With functions of 10 ns, memory "
      "(100 ns) is R = 10, a solid-state drive (100 us) 10^4, a disk (10 ms) 10^6. Measured is how "
      "many words pass Bloom filters of 1 to 24 functions, each under several seeds; no time is in "
      "it. It agrees within one function, and is inconclusive where fewer than 10 false positives "
      "are expected.",
      "No caso do próprio Bloom as exceções estão em um disco. Uma palavra custa as k funções do "
      "filtro e, se passa por ele, uma busca: k + R (p + (1 - p) 2^-k), em que p das palavras são "
      "exceções, uma busca custa tanto quanto R funções e o filtro tem o seu melhor tamanho, de "
      "modo que a sua taxa é 2^-k. O mínimo está em k = log2(R (1 - p) ln 2): uma busca dez vezes "
      "mais cara pede 3,3 funções e 4,8 bits por chave a mais. Com funções de 10 ns, a memória "
      "(100 ns) é R = 10, uma unidade de estado sólido (100 us) 10^4, um disco (10 ms) 10^6. "
      "Mede-se quantas palavras passam por filtros de Bloom de 1 a 24 funções, cada um com várias "
      "sementes; "
      "nenhum tempo entra na conta. Há concordância a no máximo uma função de distância, e o "
      "resultado é inconclusivo quando se esperam menos de 10 falsos positivos."));
  for (const std::string_view language : kLanguages) report_disk(results, report, language);
  report_portuguese(results, report);
}

}  // namespace

Experiment exceptions_experiment() {
  return {"exceptions",
          "Exceptions on a disk, and in Portuguese (thesis, section 3.5.1 and chapter 5)",
          "Exceções em disco, e em português (monografia, seção 3.5.1 e capítulo 5)",
          measure_exceptions, report_exceptions};
}

}  // namespace crivo::experiments
