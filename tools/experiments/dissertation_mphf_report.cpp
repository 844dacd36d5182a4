// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "experiments/attempts.hpp"
#include "experiments/dissertation_fch_buckets.hpp"
#include "experiments/dissertation_mphf.hpp"
#include "experiments/printed/dissertation.hpp"
#include "experiments/probing_theory.hpp"
#include "structures/classic/build/acyclic.hpp"
#include "structures/classic/fch_mapping.hpp"

namespace crivo::experiments {
namespace {

constexpr double kMiB = 1 << 20;
constexpr double kPointerBytes = 4;
constexpr std::array kHashSymbols{"hu", "hz", "hj", "XXH3"};

std::string load_name(double load) {
  return report::fixed(load, 2);
}

/// The passes of a structure over all keys; none where it was not raced.
std::vector<double> passes_of(const Results& results, const std::string& set, std::size_t hash,
                              const std::string& name) {
  if (!results.measured(search_step(set, kNamedHashes[hash]))) return {};
  const Json& race = results[search_step(set, kNamedHashes[hash])].at("race_seconds");
  return race.contains(name) ? race.at(name).get<std::vector<double>>() : std::vector<double>();
}

/// Of the set, as many as were measured; 0 if none were.
double keys_of(const Results& results, const std::string& set) {
  for (const NamedHash& hash : kNamedHashes) {
    if (results.measured(search_step(set, hash)))
      return results.number(search_step(set, hash), "keys");
  }
  return 0;
}

/// Whether they are as many as the document's: what it prints says nothing of other numbers.
bool is_printed(const Results& results, const std::string& set) {
  return keys_of(results, set) == static_cast<double>(printed::kKeys);
}

/// A last row with the load under which each hash's step was measured.
void add_loads(const Results& results, const Report& report, const std::string& set,
               report::Table& table) {
  std::vector<std::string> row{report.t("load of the machine", "carga da máquina")};
  for (std::size_t h = 0; h < kNamedHashes.size(); ++h) {
    const auto taken = results.taken(search_step(set, kNamedHashes[h]));
    row.push_back(report.fixed(taken ? taken->load : report::kNone, 1));
    if (h < kOldHashes) row.emplace_back("-");
  }
  table.add(std::move(row));
}

std::string least_and_median(const Report& report, const std::vector<double>& passes) {
  if (passes.empty()) return "-";
  const LeastMedian times = times_of(passes);
  const int decimals = times.least < 1 ? 4 : 2;
  return report.fixed(times.least, decimals) + " / " + report.fixed(times.median, decimals);
}

const printed::SearchingRows& printed_rows(const std::string& set) {
  return set == "words" ? printed::kWordsSearching : printed::kUrlsSearching;
}

std::vector<report::Heading> by_hash(const Report& report, const std::string& first) {
  std::vector<report::Heading> headings{first};
  for (std::size_t h = 0; h < kHashSymbols.size(); ++h) {
    headings.emplace_back(kHashSymbols[h]);
    if (h < kOldHashes) headings.emplace_back(report.t("printed", "impresso"));
  }
  return headings;
}

/// Tables 4.3 and 4.4.
void report_probing_times(const Results& results, Report& report, const std::string& set,
                          const std::array<printed::Probing, 10>& old) {
  report::Table table(by_hash(report, report.t("load", "carga")));
  for (std::size_t i = 0; i < kLoads.size(); ++i) {
    std::vector<std::string> row{report.percent(kLoads[i])};
    for (std::size_t h = 0; h < kNamedHashes.size(); ++h) {
      const auto passes = passes_of(results, set, h, load_name(kLoads[i]));
      row.push_back(least_and_median(report, passes));
      if (h < kOldHashes) row.push_back(report.fixed(old[i].time[h], 2));
    }
    table.add(std::move(row));
  }
  add_loads(results, report, set, table);
  report.table(table);
  if (!results.measured(search_step(set, kNamedHashes[2]))) return;
  const Json& sampled = results[search_step(set, kNamedHashes[2])].at("tables").at("0.70");
  if (!sampled.contains("searched")) return;
  double searched = 0;
  double met = 0;
  double seconds = 0;
  for (std::size_t i = 0; i < sampled.at("searched").size(); ++i) {
    searched += sampled.at("searched")[i].get<double>();
    met += sampled.at("met")[i].get<double>();
    seconds += sampled.at("sample_seconds")[i].get<double>();
  }
  const auto total = sampled.at("total_collisions").get<double>();
  report.paragraph(
      report.t("`hj` at 70 %: not all keys were searched there. ",
               "`hj` em 70 %: ali não foram pesquisadas todas as chaves. ") +
      report.grouped(searched) + report.t(" of them met ", " delas encontraram ") +
      report.grouped(met) + report.t(" others in ", " outras em ") + report.fixed(seconds, 2) +
      report.t(" s, ", " s, ") + report.fixed(1e9 * seconds / met, 1) +
      report.t(" ns each; the ", " ns cada; as ") + report.grouped(total) +
      report.t(" collisions of all would take about ", " colisões de todas levariam cerca de ") +
      report.grouped(seconds / met * total) + " s" +
      (is_printed(results, set)
           ? report.t(", printed ", ", impresso ") + report.grouped(old[0].time[2]) + " s."
           : "."));
}

/// Between which loads linear probing takes as long as a function, by the passes in which they took
/// turns: it is surely faster at `from`, and surely slower at `to`; NaN: at none.
struct EqualLoad {
  double from = report::kNone;
  double to = report::kNone;

  bool known() const { return !std::isnan(from) && !std::isnan(to) && from < to; }
};

EqualLoad equal_load(const Results& results, const std::string& set, std::size_t function_hash,
                     const std::string& function, std::size_t probing_hash) {
  const std::vector<double> passes = passes_of(results, set, function_hash, function);
  EqualLoad equal;
  bool slower_so_far = true;
  for (const double load : kLoads) {  // the highest first
    const std::vector<double> probing = passes_of(results, set, probing_hash, load_name(load));
    if (probing.empty() || passes.empty()) continue;
    const Order found =
        function_hash == probing_hash ? paired_order(probing, passes) : order(probing, passes);
    slower_so_far = slower_so_far && found == Order::more;
    if (slower_so_far) equal.to = load;
    if (found == Order::less && std::isnan(equal.from)) equal.from = load;
    if (found == Order::more) equal.from = report::kNone;  // what was faster at a higher load
  }
  return equal;
}

std::string text_of(const Report& report, const EqualLoad& equal) {
  if (std::isnan(equal.from) && std::isnan(equal.to)) return report.word(Verdict::inconclusive);
  if (std::isnan(equal.from)) {
    return report.t("below ", "abaixo de ") + report.percent(equal.to);
  }
  if (std::isnan(equal.to)) return report.t("above ", "acima de ") + report.percent(equal.from);
  return equal.known()
             ? report.percent(equal.from) + report.t(" to ", " a ") + report.percent(equal.to)
             : report.word(Verdict::inconclusive);
}

/// Against a printed load: it agrees within a range of at most 15 points.
Verdict verdict_of(const EqualLoad& equal, double old) {
  if (!std::isnan(equal.to) && old >= equal.to + 0.0021) return Verdict::differs;
  if (!std::isnan(equal.from) && old <= equal.from - 0.0021) return Verdict::differs;
  return equal.known() && equal.to - equal.from <= 0.151 ? Verdict::agrees : Verdict::inconclusive;
}

/// Tables 4.5 and 4.7, with their rows hl.
void report_search_times(const Results& results, Report& report, const std::string& set) {
  const printed::SearchingRows& old = printed_rows(set);
  report::Table table(by_hash(report, report.t("searched by", "pesquisa por")));
  const auto add = [&](const std::string& title, const std::string& name,
                       const std::array<double, printed::kHashes>* printed) {
    std::vector<std::string> row{title};
    for (std::size_t h = 0; h < kNamedHashes.size(); ++h) {
      row.push_back(least_and_median(report, passes_of(results, set, h, name)));
      if (h < kOldHashes) {
        row.push_back(printed == nullptr ? "-" : report.fixed((*printed)[h], 2));
      }
    }
    table.add(std::move(row));
  };
  const auto add_probing = [&](const printed::ProbingRow& row) {
    const double load = std::round(row.load * 20) / 20;
    add("hl, " + report.percent(load) +
            (std::abs(load - row.load) > 1e-9
                 ? report.t(" (printed: ", " (impresso: ") + report.percent(row.load, 3) + ")"
                 : ""),
        load_name(load), &row.time);
  };
  add("FCH", "fch", &old.fch.time);
  add_probing(old.at_fch);
  add("MWHC-2", "mwhc2", &old.mwhc2.time);
  add_probing(old.at_mwhc2);
  add("MWHC-3", "mwhc3", &old.mwhc3.time);
  add_probing(old.at_mwhc3);
  for (const NamedAlgorithm& algorithm : kNamedAlgorithms) {
    if (!algorithm.of_document) {
      add(std::string(algorithm.symbol), std::string(algorithm.name), nullptr);
    }
  }
  for (const std::string_view map : kMaps) {
    add("map " + std::string(map), "map " + std::string(map), nullptr);
  }
  add_loads(results, report, set, table);
  report.table(table);
}

double overhead_bytes(const Results& results, const std::string& set, const std::string& name) {
  const double keys = keys_of(results, set);
  const auto n = static_cast<std::uint64_t>(keys);
  if (name == "fch") return kPointerBytes * classic::fch_buckets(n);
  if (name == "mwhc2") return kPointerBytes * classic::mwhc_vertices(2, n);
  if (name == "mwhc3") return kPointerBytes * classic::mwhc_vertices(3, n);
  if (!results.measured(search_step(set, kXxh3))) return report::kNone;
  const Json& step = results[search_step(set, kXxh3)];
  if (name.starts_with("map ")) {
    return step.at("maps").at(name.substr(4)).at("bytes").get<double>() - kPointerBytes * keys;
  }
  return step.at("functions").at(name).at("bytes").get<double>();
}

/// Tables 4.6 and 4.8.
void report_overheads(const Results& results, Report& report, const std::string& set) {
  const printed::SearchingRows& old = printed_rows(set);
  const bool compares = is_printed(results, set);
  const double keys = keys_of(results, set);
  const std::string printed = report.t("printed", "impresso");
  report::Table table({report.t("searched by", "pesquisa por"), "overhead, MiB", printed,
                       report.t("equal load: hu", "carga igual: hu"), "hz", "hj", "XXH3", printed,
                       report.t("verdict (hu, hz, hj)", "veredicto (hu, hz, hj)"),
                       report.t("probing at the printed load, MiB", "hl na carga impressa, MiB"),
                       printed});
  const auto add = [&](const std::string& title, const std::string& name,
                       const printed::Searching* row) {
    std::vector<std::string> cells{title,
                                   report.fixed(overhead_bytes(results, set, name) / kMiB, 1),
                                   report.fixed(row == nullptr ? report::kNone : row->overhead, 1)};
    std::string verdicts;
    for (std::size_t h = 0; h < kNamedHashes.size(); ++h) {
      if (passes_of(results, set, h, name).empty()) {
        cells.emplace_back("-");
        continue;
      }
      const EqualLoad equal = equal_load(results, set, h, name, h);
      cells.push_back(text_of(report, equal));
      if (compares && row != nullptr && h < kOldHashes) {
        verdicts +=
            (verdicts.empty() ? "" : ", ") + report.word(verdict_of(equal, row->equal_load));
      }
    }
    cells.push_back(report.percent(row == nullptr ? report::kNone : row->equal_load));
    cells.push_back(verdicts.empty() ? "-" : verdicts);
    const double empty =
        row == nullptr ? report::kNone : kPointerBytes * keys * (1 / row->equal_load - 1);
    cells.push_back(report.fixed(empty / kMiB, 1));
    cells.push_back(report.fixed(row == nullptr ? report::kNone : row->probing_overhead, 1));
    table.add(std::move(cells));
  };
  add("FCH", "fch", &old.fch);
  add("MWHC-2", "mwhc2", &old.mwhc2);
  add("MWHC-3", "mwhc3", &old.mwhc3);
  for (const NamedAlgorithm& algorithm : kNamedAlgorithms) {
    if (!algorithm.of_document) {
      add(std::string(algorithm.symbol), std::string(algorithm.name), nullptr);
    }
  }
  for (const std::string_view map : kMaps) {
    add("map " + std::string(map), "map " + std::string(map), nullptr);
  }
  report.table(table);
}

/// The dissertation's main result: that MWHC-2 is as fast as linear probing at 35 % (words) and 40
/// % (URLs), each with its best function there.
void report_main_result(const Results& results, Report& report) {
  std::string text = report.t(
      "The dissertation's main result, MWHC-2 with its fastest function, "
      "`hj`, against linear probing with its fastest: ",
      "O resultado principal da dissertação, MWHC-2 com a sua função mais "
      "rápida, `hj`, contra o hashing linear com a sua mais rápida: ");
  for (const std::string set : kSets) {
    const std::size_t probing = set == "words" ? 1 : 2;  // hz, hj
    const double old = printed_rows(set).mwhc2.equal_load;
    const bool compares = is_printed(results, set);
    const EqualLoad equal = equal_load(results, set, 2, "mwhc2", probing);
    const EqualLoad paired = equal_load(results, set, 2, "mwhc2", 2);
    text += std::string(set == "words" ? report.t("on words", "nas palavras")
                                       : report.t("; on URLs", "; nas URLs")) +
            " (`" + kHashSymbols[probing] + "`) " + text_of(report, equal) +
            report.t(", printed ", ", impresso ") + report.percent(old) +
            (compares ? ": **" + report.word(verdict_of(equal, old)) + "**" : "") +
            (probing == 2 ? ""
                          : report.t(" (with `hj` in both: ", " (com `hj` em ambos: ") +
                                text_of(report, paired) + ")");
  }
  report.paragraph(
      text +
      report.t(". An equal load is told as the range from the highest load at which probing is "
               "surely faster to the lowest at which it is surely slower: of ",
               ". Uma carga igual é dada como a faixa da maior carga em que o hashing linear é "
               "seguramente mais rápido à menor em que é seguramente mais lento: de ") +
      std::to_string(passes_of(results, "words", 2, "mwhc2").size()) +
      report.t(
          " passes in which they took turns so many are on one side that chance has it in at "
          "most 5 of 100 cases (the sign test). The machines are 20 years apart, and Crivo's one "
          "hash has all the words that an MPHF wants, where the document computes two or three "
          "functions: a load that differs is no slip of the document's.",
          " passagens alternadas, tantas ficam de um lado que o acaso o faz em no máximo 5 de 100 "
          "casos (teste dos sinais). As máquinas têm 20 anos de diferença, e um só hash do Crivo "
          "fornece "
          "todas as palavras de que uma FHPM precisa, enquanto o documento calcula duas ou três "
          "funções: uma carga que difere não é um erro do documento."));
}

/// "MWHC-2 < FCH = MWHC-3": from the fastest on; = where neither is surely the faster one.
std::string ranking(const Results& results, const std::string& set, std::size_t hash) {
  std::vector<std::pair<double, std::pair<std::string, std::vector<double>>>> all;
  for (const NamedAlgorithm& algorithm : std::span(kNamedAlgorithms).first(3)) {
    const auto passes = passes_of(results, set, hash, std::string(algorithm.name));
    if (passes.empty()) return "-";
    all.push_back({times_of(passes).median, {std::string(algorithm.symbol), passes}});
  }
  std::ranges::sort(all);
  std::string text = all[0].second.first;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const Order found = paired_order(all[i - 1].second.second, all[i].second.second);
    text += (found == Order::less ? " < " : " = ") + all[i].second.first;
  }
  return text;
}

std::string printed_ranking(const printed::SearchingRows& rows, std::size_t hash) {
  std::vector<std::pair<double, const char*>> all{{rows.mwhc2.time[hash], "MWHC-2"},
                                                  {rows.mwhc3.time[hash], "MWHC-3"},
                                                  {rows.fch.time[hash], "FCH"}};
  std::ranges::sort(all);
  return std::string(all[0].second) + " < " + all[1].second + " < " + all[2].second;
}

void discuss_searching(const Results& results, Report& report) {
  bool ordered = true;
  for (const std::string set : kSets) {
    for (const NamedHash& hash : kNamedHashes) {
      if (!results.measured(search_step(set, hash))) continue;
      const Json& functions = results[search_step(set, hash)].at("functions");
      for (const char* name : {"mwhc2", "mwhc3"}) {
        ordered = ordered && functions.at(name).at("ordered").get<bool>();
      }
    }
  }
  std::string orders;
  for (const std::string set : kSets) {
    for (std::size_t h = 0; h < kOldHashes; ++h) {
      orders += (orders.empty() ? "" : "; ") +
                std::string(set == "words" ? report.t("words", "palavras") : "URLs") + " `" +
                kHashSymbols[h] + "` " + ranking(results, set, h);
      if (!is_printed(results, set)) continue;
      orders += report.t(" (printed ", " (impresso ") + printed_ranking(printed_rows(set), h) + ")";
    }
  }
  report.paragraph(
      report.t(
          "Every function was built into a file and mapped, and each key of the set has a rank "
          "of its own below n. The order of the keys, that is their place in the set, ",
          "Cada função foi gravada em um arquivo e mapeada, e cada chave do conjunto tem uma "
          "posição própria abaixo de n. A ordem das chaves, isto é, o seu lugar no conjunto, ") +
      (ordered ? report.t("is preserved by all of MWHC's: each key was looked up.",
                          "é preservada por todas as funções MWHC: cada chave foi consultada.")
               : report.t("IS NOT PRESERVED BY ALL OF MWHC'S.",
                          "NÃO É PRESERVADA POR TODAS AS MWHC.")) +
      report.t(" From the fastest to search by to the slowest (\"=\": neither is surely faster): ",
               " Da mais rápida na pesquisa à mais lenta (\"=\": nenhuma é seguramente mais "
               "rápida): ") +
      orders + ".");
  const double keys = keys_of(results, "words");
  const auto bits = [&](const char* name) {
    return report.fixed(8 * overhead_bytes(results, "words", name) / keys, 1);
  };
  std::string overheads =
      report.t("The overheads are arithmetic. Beside the n pointers of 4 bytes, of ",
               "Os overheads são aritméticos. Além dos n apontadores de 4 bytes, para ") +
      report.grouped(keys) + report.t(" words and ", " palavras e ") +
      report.grouped(keys_of(results, "urls")) +
      report.t(
          " URLs and N_C = 1, there is the function (of MWHC and FCH its entries of 4 bytes) "
          "or the empty entries of linear probing. ",
          " URLs e N_C = 1, há a função (das MWHC e do FCH as suas entradas de 4 bytes) ou "
          "as entradas vazias do hashing linear. ");
  if (is_printed(results, "words")) {
    overheads += report.t(
        "The document's MB are of 2^20 bytes; its 87.1 is 87.19, its 6.1 is what log n rounded "
        "down gives, and its 22.5 and 34.2 are 22.46 and 34.13. ",
        "Os MB do documento são de 2^20 bytes; o seu 87,1 é 87,19, o seu 6,1 é o que resulta de "
        "log n arredondado para baixo, e 22,5 e 34,2 são 22,46 e 34,13. ");
  }
  report.paragraph(
      overheads + report.t("Bits a key: `fast` ", "Bits por chave: `fast` ") + bits("fast") +
      ", `compact` " + bits("compact") + ", FCH " + bits("fch") + ", MWHC-3 " + bits("mwhc3") +
      report.t(
          ". A static function (map ribbon, map fuse) gives the pointer itself, so that there is "
          "neither a rank nor a table of pointers to wait for; its overhead is negative where "
          "pointers have fewer than 32 bits. Times are \"least / median\" of passes, each over "
          "another part of the keys, as if over all.",
          ". Uma função estática (map ribbon, map fuse) fornece o próprio apontador, de modo que "
          "não há posição nem tabela de apontadores a consultar; o seu overhead é negativo quando "
          "os apontadores têm menos de 32 bits. Os tempos são \"menor / mediana\" de passagens, "
          "cada uma por outra parte das chaves, como se por todas."));
}

std::vector<double> values_of(const std::vector<Json>& all, const char* field,
                              bool with_hashing = false) {
  std::vector<double> values;
  for (const Json& one : all) {
    if (!one.contains(field)) return {};
    values.push_back(one.at(field).get<double>() +
                     (with_hashing ? one.at("hashing_seconds").get<double>() : 0));
  }
  return values;
}

Summary summary_of(const std::vector<Json>& all, const char* field, bool with_hashing = false) {
  const std::vector<double> values = values_of(all, field, with_hashing);
  return values.empty() ? Summary{.mean = report::kNone} : summary(values);
}

/// The highest load of a generation's steps; NaN where they do not say it.
double most_load(const Results& results, const std::string& set, const NamedHash& hash,
                 const NamedAlgorithm& algorithm) {
  double most = report::kNone;
  const auto add = [&](const std::string& step) {
    if (const auto taken = results.taken(step)) most = std::fmax(most, taken->load);
  };
  add(search_step(set, hash));
  for (std::uint64_t seed = 1; results.has(generation_step(set, hash, algorithm, seed)); ++seed) {
    add(generation_step(set, hash, algorithm, seed));
  }
  return most;
}

std::string deviation(const Report& report, const Summary& summary) {
  return summary.count > 1 ? report.fixed(summary.deviation, 2) : "-";
}

const std::array<printed::Graphs, printed::kHashes>* printed_graphs(const std::string& set,
                                                                    std::string_view name) {
  if (name == "mwhc2") return set == "words" ? &printed::kWordsMwhc2 : &printed::kUrlsMwhc2;
  if (name == "mwhc3") return set == "words" ? &printed::kWordsMwhc3 : &printed::kUrlsMwhc3;
  return nullptr;
}

/// Tables 4.9 and 4.11.
void report_graphs(const Results& results, Report& report, const std::string& set) {
  const std::string printed = report.t("printed", "impresso");
  report::Table table({report.t("function, hash", "função, hash"), report.t("runs", "execuções"),
                       "N_i", printed, report.t("verdict", "veredicto"), "Map. + Ord.", printed,
                       "Pes.", printed, "Total", printed, "DP", printed,
                       report.t("load", "carga da máquina")});
  const bool compares = is_printed(results, set);
  for (const NamedAlgorithm& algorithm : kNamedAlgorithms) {
    if (algorithm.name == "fch") continue;
    const auto* const old = printed_graphs(set, algorithm.name);
    for (std::size_t h = 0; h < kNamedHashes.size(); ++h) {
      if (!takes(algorithm, kNamedHashes[h])) continue;
      const auto all = generations(results, set, kNamedHashes[h], algorithm);
      if (all.empty()) continue;
      const auto of = [&](double printed::Graphs::*field) {
        return old != nullptr && h < kOldHashes ? (*old)[h].*field : report::kNone;
      };
      const Summary total = summary_of(all, "seconds", true);
      table.add({std::string(algorithm.symbol) + ", " + kHashSymbols[h], std::to_string(all.size()),
                 report.interval(attempts_of(values_of(all, "attempts"))),
                 report.fixed(of(&printed::Graphs::attempts), 2),
                 compares && old != nullptr && h < kOldHashes
                     ? report.word(verdict(attempts_of(values_of(all, "attempts")),
                                           (*old)[h].attempts, printed::kRuns))
                     : "-",
                 report.fixed(summary_of(all, "mapping_seconds", true).mean, 2),
                 report.fixed(of(&printed::Graphs::mapping), 1),
                 report.fixed(summary_of(all, "search_seconds").mean, 2),
                 report.fixed(of(&printed::Graphs::search), 1), report.fixed(total.mean, 2),
                 report.fixed(of(&printed::Graphs::total), 1), deviation(report, total),
                 report.fixed(of(&printed::Graphs::deviation), 2),
                 report.fixed(most_load(results, set, kNamedHashes[h], algorithm), 1)});
    }
  }
  report.table(table);
}

/// Tables 4.10 and 4.12.
void report_fch(const Results& results, Report& report, const std::string& set) {
  const NamedAlgorithm& fch = kNamedAlgorithms[2];
  const auto& all_printed = set == "words" ? printed::kWordsFch : printed::kUrlsFch;
  const std::string printed = report.t("printed", "impresso");
  report::Table table({"FCH, hash", report.t("runs", "execuções"), "N_Ih20", printed,
                       report.t("verdict", "veredicto"), "N_AL", printed, "Map.", printed, "Ord.",
                       printed, "Pes.", printed, "Total", printed, "DP", printed,
                       report.t("load", "carga da máquina")});
  const bool compares = is_printed(results, set);
  for (std::size_t h = 0; h < kNamedHashes.size(); ++h) {
    const auto all = generations(results, set, kNamedHashes[h], fch);
    if (all.empty()) continue;
    const auto of = [&](double printed::Patterns::*field) {
      return h < kOldHashes ? all_printed[h].*field : report::kNone;
    };
    const Summary total = summary_of(all, "seconds", true);
    table.add({kHashSymbols[h], std::to_string(all.size()),
               report.interval(attempts_of(values_of(all, "patterns"))),
               report.fixed(of(&printed::Patterns::patterns), 1),
               compares && h < kOldHashes
                   ? report.word(verdict(attempts_of(values_of(all, "patterns")),
                                         all_printed[h].patterns, printed::kRuns))
                   : "-",
               report.interval(summary_of(all, "alignments"), 1),
               report.fixed(of(&printed::Patterns::alignments), 1),
               report.fixed(summary_of(all, "mapping_seconds", true).mean, 2),
               report.fixed(of(&printed::Patterns::mapping), 1),
               report.fixed(summary_of(all, "ordering_seconds").mean, 4),
               report.fixed(h < kOldHashes ? printed::kFchOrdering : report::kNone, 2),
               report.fixed(summary_of(all, "search_seconds").mean, 2),
               report.fixed(of(&printed::Patterns::search), 1), report.fixed(total.mean, 2),
               report.fixed(of(&printed::Patterns::total), 1), deviation(report, total),
               report.fixed(of(&printed::Patterns::deviation), 2),
               report.fixed(most_load(results, set, kNamedHashes[h], fch), 1)});
  }
  report.table(table);
}

/// The mean number of alignments that the published N_t has for a pattern, buckets of these sizes
/// being placed from the largest on: C(n, s) / C(free, s); where the first key of a pattern is
/// aligned with a free address, as FCH does, C(n - 1, s - 1) / C(free - 1, s - 1).
struct Alignments {
  double by_formula = 0;
  double aligned = 0;
};
Alignments expected_alignments(const std::vector<double>& buckets_of_size, double keys) {
  Alignments sum;
  double buckets = buckets_of_size.front();
  double free = keys;
  for (std::size_t size = buckets_of_size.size() - 1; size > 0; --size) {
    buckets += buckets_of_size[size];
    for (double b = 0; b < buckets_of_size[size]; ++b) {
      double tries = 1;
      for (double j = 1; j < static_cast<double>(size); ++j) tries *= (keys - j) / (free - j);
      sum.aligned += tries;
      sum.by_formula += tries * keys / free;
      free -= static_cast<double>(size);
    }
  }
  return {sum.by_formula / buckets, sum.aligned / buckets};
}

void discuss_generation(const Results& results, Report& report) {
  const NamedAlgorithm& fch = kNamedAlgorithms[2];
  std::string text = report.t("N_AL, alignments of a pattern with a free address: ",
                              "N_AL, alinhamentos de um padrão com um endereço livre: ");
  const Results* const buckets = report.results_of("fch-buckets");
  double counted = report::kNone;  // of hj
  double of_sizes = report::kNone;
  for (const std::size_t h : {1U, 2U}) {
    const auto all = generations(results, "words", kNamedHashes[h], fch);
    if (all.empty()) continue;
    text += std::string(h == 1 ? "`" : "; `") + kHashSymbols[h] + "` " +
            report.fixed(summary_of(all, "alignments").mean, 1) + report.t(" here", " aqui");
    if (is_printed(results, "words")) {
      text +=
          report.t(", printed ", ", impresso ") + report.fixed(printed::kWordsFch[h].alignments, 1);
    }
    if (h == 2) counted = summary_of(all, "alignments").mean;
    if (buckets == nullptr || !buckets->measured(buckets_step(kNamedHashes[h]))) continue;
    const std::uint64_t keys = bucket_sizes(*buckets).back();
    const auto sizes = (*buckets)[buckets_step(kNamedHashes[h])]
                           .at("runs")[0]
                           .at(std::to_string(keys))
                           .get<std::vector<double>>();
    const Alignments expected = expected_alignments(sizes, static_cast<double>(keys));
    if (h == 2) of_sizes = expected.aligned;
    text += report.t(", expected of buckets of their sizes, for equally likely addresses, ",
                     ", esperado de buckets dos seus tamanhos, para endereços igualmente "
                     "prováveis, ") +
            report.fixed(expected.aligned, 1) +
            report.t(" (by the document's N_t ", " (pelo N_t do documento ") +
            report.fixed(expected.by_formula, 1) + ")";
  }
  text += report.t(". Counted here are those of the search that succeeded.",
                   ". Contam-se aqui os da pesquisa que teve sucesso.");
  if (std::abs(counted / of_sizes - 1) < 0.02) {
    text += report.t(
        " So what `hj` has more than `hz` comes of its larger buckets: the way it reduces values "
        "to its range makes some of them twice as full.",
        " Assim, o que `hj` tem a mais que `hz` vem dos seus buckets maiores: o modo como reduz "
        "os valores ao contradomínio enche alguns deles em dobro.");
  }
  if (!std::isnan(counted) && is_printed(results, "words")) {
    text +=
        report.t(" The printed number of `hj` is ", " O número impresso de `hj` é ") +
        report.fixed(printed::kWordsFch[2].alignments / counted, 1) +
        report.t(
            " times the one counted here, and the cause is **inconclusive**: the document does not "
            "say whether it counts those of searches that failed, and has no figure that "
            "would tell.",
            " vezes o contado aqui, e a causa fica **inconclusiva**: o documento não diz se "
            "conta os das pesquisas que falharam, e não tem valor que o revele.");
  }
  report.paragraph(text);
  double slowest = 0;
  for (const std::string set : kSets) {
    for (const NamedHash& hash : kNamedHashes) {
      const auto all = generations(results, set, hash, fch);
      if (!all.empty()) slowest = std::max(slowest, summary_of(all, "seconds", true).mean);
    }
  }
  report.paragraph(
      report.t("FCH's slowest row takes ", "A linha mais lenta do FCH leva ") +
      report.fixed(slowest, 2) +
      (is_printed(results, "words") && is_printed(results, "urls")
           ? report.t(" s, of the document's 1.7 hours", " s, contra 1,7 hora no documento")
           : " s") +
      report.t(
          ": the search is the published one, but h20 is tried on 128-bit hashes, from the largest "
          "bucket on and up to the first clash, and a bit, which stays in cache, says whether an "
          "address is free "
          "(src/structures/classic/functions.hpp). N_Ih20 is about geometric, so that one run says "
          "little of its mean. Crivo chooses new functions of MWHC by salt, not by reading and "
          "hashing all keys again: a failed graph costs its own making, and \"Map. + Ord.\" has "
          "the hashing and sorting of the keys once. How many graphs the document's own "
          "functions take is in the experiment `faithful`.",
          ": a pesquisa é a publicada, mas h20 é testada em "
          "hashes de 128 bits, a partir do maior bucket e até a primeira colisão, e um bit, que "
          "fica em cache, diz se um endereço está livre "
          "(src/structures/classic/functions.hpp). N_Ih20 é quase geométrico, de modo que uma "
          "execução diz pouco da média. O Crivo escolhe novas funções das MWHC por um sal, sem "
          "ler e processar todas as chaves de novo: um grafo que falha custa só a sua própria "
          "construção, e \"Map. + Ord.\" tem o hash e a ordenação das chaves uma vez. Quantos "
          "grafos as funções do próprio documento exigem está no experimento `faithful`."));
}

}  // namespace

void report_mphf(const Results& results, Report& report) {
  for (const std::string set : kSets) {
    const bool words = set == "words";
    const std::string of =
        words ? report.t("the vocabulary", "o vocabulário") : report.t("the URLs", "as URLs");
    report.heading(3, report.t("Table ", "Tabela ") + (words ? "4.3" : "4.4") +
                          report.t(": time to search all keys by linear probing, ",
                                   ": tempo para pesquisar todas as chaves por hashing linear, ") +
                          of);
    report_probing_times(results, report, set,
                         words ? printed::kWordsProbing : printed::kUrlsProbing);
  }
  for (const std::string set : kSets) {
    const bool words = set == "words";
    const std::string of =
        words ? report.t("the vocabulary", "o vocabulário") : report.t("the URLs", "as URLs");
    report.heading(
        3, report.t("Table ", "Tabela ") + (words ? "4.5" : "4.7") +
               report.t(": time to search all keys, ", ": tempo para pesquisar todas as chaves, ") +
               of);
    report_search_times(results, report, set);
    report.heading(3, report.t("Table ", "Tabela ") + (words ? "4.6" : "4.8") +
                          report.t(": space overhead and equal loads, ",
                                   ": overhead de espaço e cargas iguais, ") +
                          of);
    report_overheads(results, report, set);
  }
  report_main_result(results, report);
  discuss_searching(results, report);
  for (const std::string set : kSets) {
    const bool words = set == "words";
    const std::string of =
        words ? report.t("the vocabulary", "o vocabulário") : report.t("the URLs", "as URLs");
    report.heading(3, report.t("Tables ", "Tabelas ") +
                          (words ? report.t("4.9 and 4.10", "4.9 e 4.10")
                                 : report.t("4.11 and 4.12", "4.11 e 4.12")) +
                          report.t(": generation, ", ": geração, ") + of);
    report_graphs(results, report, set);
    report_fch(results, report, set);
  }
  discuss_generation(results, report);
}

}  // namespace crivo::experiments
