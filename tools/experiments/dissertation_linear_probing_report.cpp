// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "experiments/dictionaries/dictionary.hpp"
#include "experiments/dissertation_linear_probing.hpp"
#include "experiments/dissertation_mphf.hpp"
#include "experiments/printed/dissertation.hpp"
#include "experiments/probing_theory.hpp"

namespace crivo::experiments {
namespace {

constexpr double kRounding = 0.005;  ///< of the printed collisions

Summary collisions_of(const Results& results, const std::string& set, const NamedHash& hash,
                      double load) {
  const Json& step = results[collisions_step(set, hash)];
  return summary(step.at(report::fixed(load, 2)).get<std::vector<double>>());
}

/// What theory has for the function's range.
double expected(const NamedHash& hash, std::uint64_t keys, double load) {
  if (hash.range != classic::Range::mask_xor) return uniform_collisions(load);
  return folded_load(keys, addresses_for(keys, load, keys + 1)).collisions;
}

/// How many of the loads have each verdict: "9 agree, 1 differs".
std::string tally(const Report& report, const std::vector<Verdict>& verdicts) {
  const auto said = [&](Verdict verdict, bool one) {
    switch (verdict) {
      case Verdict::agrees:
        return one ? report.t("agrees", "concorda") : report.t("agree", "concordam");
      case Verdict::differs:
        return one ? report.t("differs", "difere") : report.t("differ", "diferem");
      default:
        return one ? report.t("is inconclusive", "é inconclusiva")
                   : report.t("are inconclusive", "são inconclusivas");
    }
  };
  std::string text;
  for (const Verdict verdict : {Verdict::agrees, Verdict::differs, Verdict::inconclusive}) {
    const auto count = std::ranges::count(verdicts, verdict);
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + said(verdict, count == 1);
  }
  return text.empty() ? report.word(Verdict::too_few) : text;
}

void report_set(const Results& results, Report& report, const std::string& set,
                const std::array<printed::Probing, 10>& old) {
  if (!results.measured(collisions_step(set, kNamedHashes[0]))) return;
  const auto keys =
      static_cast<std::uint64_t>(results.number(collisions_step(set, kNamedHashes[0]), "keys"));
  const bool is_printed = keys == printed::kKeys;
  const std::string printed = report.t("printed", "impresso");
  std::vector<report::Heading> headings{report.t("load", "carga"), report.t("theory", "teoria")};
  for (const NamedHash& hash : kNamedHashes) {
    if (hash.range == classic::Range::mask_xor) {
      headings.emplace_back(report.t("theory of hj", "teoria de hj"));
    }
    headings.emplace_back(std::string(hash.symbol));
    if (&hash != &kXxh3) headings.emplace_back(printed);
    if (&hash != &kXxh3) headings.emplace_back(report.t("verdict", "veredicto"));
  }
  report::Table table(std::move(headings));
  std::array<std::vector<Verdict>, kNamedHashes.size()> of_theory;
  std::array<std::vector<Verdict>, kNamedHashes.size()> of_printed;
  double spread = 0;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < kLoads.size(); ++i) {
    std::vector<std::string> row{report.percent(kLoads[i]),
                                 report.fixed(uniform_collisions(kLoads[i]), 3)};
    for (std::size_t h = 0; h < kNamedHashes.size(); ++h) {
      const NamedHash& hash = kNamedHashes[h];
      if (!results.measured(collisions_step(set, hash))) {
        row.resize(row.size() + (h == 2 ? 4U : h < kOldHashes ? 3U : 1U), "-");
        continue;
      }
      const Summary all = collisions_of(results, set, hash, kLoads[i]);
      const double theory = expected(hash, keys, kLoads[i]);
      runs = all.count;
      if (h == 0) spread = std::max(spread, all.deviation / all.mean);
      of_theory[h].push_back(verdict(all, theory, 0, kLoads.size()));
      if (hash.range == classic::Range::mask_xor) row.push_back(report.fixed(theory, 3));
      row.push_back(report.interval(all, 4));
      if (h >= kOldHashes) continue;
      const Verdict found = verdict(all, old[i].collisions[h], kRounding, kLoads.size());
      if (is_printed) of_printed[h].push_back(found);
      row.push_back(report.fixed(old[i].collisions[h], 2));
      row.push_back(is_printed ? report.word(found) : "-");
    }
    table.add(std::move(row));
  }
  report.paragraph(report.t("Collisions a key, means of ", "Colisões por chave, médias de ") +
                   std::to_string(runs) + report.t(" runs:", " execuções:"));
  report.table(table);
  std::string text =
      report.t("Against theory, over the ten loads: ", "Contra a teoria, nas dez cargas: ");
  for (std::size_t h = 0; h < kNamedHashes.size(); ++h) {
    if (of_theory[h].empty()) continue;
    text += std::string(h == 0 ? "`" : "; `") + std::string(kNamedHashes[h].symbol) + "` " +
            tally(report, of_theory[h]);
    if (!of_printed[h].empty()) {
      text += report.t(" (against the printed figures: ", " (contra os valores impressos: ") +
              tally(report, of_printed[h]) + ")";
    }
  }
  report.paragraph(
      text +
      report.t(". Theory is Knuth's (1 / (1 - load) - 1) / 2 for addresses that are equally likely "
               "and independent; of `hj` the same for the two loads that its range makes (below). "
               "`hu` is linear in the bytes, so that keys that differ alike have addresses that "
               "differ alike: its standard deviation from run to run is up to ",
               ". A teoria é a de Knuth, (1 / (1 - carga) - 1) / 2, para endereços igualmente "
               "prováveis e independentes; de `hj` a mesma para as duas cargas que a sua redução "
               "produz (abaixo). `hu` é linear nos bytes, de modo que chaves que diferem do mesmo "
               "modo têm endereços que diferem do mesmo modo: o seu desvio padrão entre execuções "
               "chega a ") +
      report.percent(spread, 1) + ".");
}

/// Why Jenkins's hash fails at a load of 70 %.
void explain_jump(const Results& results, Report& report) {
  for (const std::string set : kSets) {
    if (!results.measured(collisions_step(set, kNamedHashes[2]))) return;
  }
  const auto keys =
      static_cast<std::uint64_t>(results.number(collisions_step("words", kNamedHashes[0]), "keys"));
  const FoldedLoad fold = folded_load(keys, addresses_for(keys, 0.70, keys + 1));
  const Summary all = collisions_of(results, "words", kNamedHashes[2], 0.70);
  const double total = all.mean * static_cast<double>(keys);
  std::string above;  // the loads below 70 % at which there is no room either
  double fullest = 0;
  for (const double load : std::span(kLoads).subspan(1)) {
    const FoldedLoad folded = folded_load(keys, addresses_for(keys, load, keys + 1));
    fullest = std::max(fullest, folded.twice);
    if (folded.twice <= 1) continue;
    above += (above.empty() ? "" : ", ") + report.percent(load) + " (" +
             report.fixed(folded.twice, 3) + ")";
  }
  report.paragraph(
      report.t(
          "Jenkins's range: the function takes the low b bits of the value, with 2^b the least "
          "power of two that is not below m, and folds values from m on back by exclusive or with "
          "m. They fall on [2^j, 2^(j+1)) for the bits j that are 0 in m, and these addresses are "
          "hit twice as often. At 70 % that is a load of ",
          "O contradomínio de Jenkins: a função toma os b bits baixos do valor, com 2^b a menor "
          "potência de dois não inferior a m, e traz de volta os valores a partir de m por ou "
          "exclusivo com m. Eles caem em [2^j, 2^(j+1)) para os bits j que são 0 em m, e esses "
          "endereços são atingidos com o dobro da frequência. Em 70 % isso é uma carga de ") +
      report.fixed(fold.twice, 3) + report.t(" where ", " onde caem ") +
      report.percent(fold.doubled, 1) +
      report.t(" of the keys fall, in all such stretches together, and of ",
               " das chaves, em todos esses trechos juntos, e de ") +
      report.fixed(fold.once, 3) +
      (fold.twice > 1
           ? report.t(" elsewhere. Above 1 there is no room: the surplus runs over into the "
                      "entries that follow, and every key there meets all that wait: ",
                      " nos demais. Acima de 1 não há lugar: o excesso transborda para as "
                      "entradas seguintes, e cada chave ali encontra todas as que esperam: ")
           : report.t(" elsewhere. Below 1 there is room for all: ",
                      " nos demais. Abaixo de 1 há lugar para todas: ")) +
      report.interval(all, fold.twice > 1 ? 0 : 2) +
      report.t(" collisions a key. ", " colisões por chave. ") +
      (above.empty() ? report.t("Below 70 % the twofold load is below 1 at all loads here, ",
                                "Abaixo de 70 % a carga em dobro é menor que 1 em todas as cargas "
                                "daqui, ") +
                           report.fixed(fullest, 3) + report.t(" at most.", " no máximo.")
                     : report.t("Below 70 % the twofold load is above 1 too at ",
                                "Abaixo de 70 % a carga em dobro também passa de 1 em ") +
                           above + "."));
  if (keys != printed::kKeys) return;
  report.paragraph(
      report.t("The printed 88.76 and 381.69 cannot be the whole count: there are ",
               "Os valores impressos, 88,76 e 381,69, não podem ser a contagem inteira: há ") +
      report.grouped(total) + report.t(" collisions of ", " colisões de ") +
      report.grouped(static_cast<double>(keys)) +
      report.t(
          " keys here, and of so many keys a counter of 32 bits shows no rate above 2^32 / n = ",
          " chaves aqui, e com tantas chaves um contador de 32 bits não mostra taxa acima de "
          "2^32 / n = ") +
      report.fixed(std::pow(2.0, 32) / static_cast<double>(keys), 1) +
      report.t(". The printed times are ", ". Os tempos impressos são ") +
      report.fixed(1e6 * printed::kWordsProbing[0].time[2] / total, 2) +
      report.t(" us for each of our collisions on words and ",
               " us para cada uma das nossas colisões nas palavras e ") +
      report.fixed(1e6 * printed::kUrlsProbing[0].time[2] /
                       (collisions_of(results, "urls", kNamedHashes[2], 0.70).mean *
                        static_cast<double>(keys)),
                   2) +
      report.t(" us on URLs: the times are those of the whole count, and fit a counter that ran "
               "over.",
               " us nas URLs: os tempos são os da contagem inteira e condizem com um contador que "
               "estourou."));
}

}  // namespace

void report_linear_probing(const Results& results, Report& report) {
  report.heading(
      3, report.t("Table 4.3: collisions, the vocabulary", "Tabela 4.3: colisões, o vocabulário"));
  report_set(results, report, "words", printed::kWordsProbing);
  explain_jump(results, report);
  report.heading(3, report.t("Table 4.4: collisions, the URLs", "Tabela 4.4: colisões, as URLs"));
  report_set(results, report, "urls", printed::kUrlsProbing);
}

}  // namespace crivo::experiments
