// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <vector>

#include "experiments/dissertation_mphf.hpp"
#include "experiments/thesis_dictionaries.hpp"
#include "structures/build/mphf.hpp"
#include "structures/mphf.hpp"

namespace crivo::experiments {
namespace {

/// What a row's step is called, and the collisions that theory has for it.
struct Row {
  std::string name;
  std::string id;
  double present;
  double absent;
  bool is_exact;
};

std::vector<Row> rows_of(const Results& results, const Report& report, const std::string& prefix) {
  const std::string load = report.t(", load ", ", carga ");
  const std::string today = report.t("today: ", "hoje: ");
  std::vector<Row> rows;
  for (const double part : kProbingLoads) {
    const double full = 1 / (1 - part);
    rows.push_back({report.t("linear probing", "hashing linear") + load + report.percent(part),
                    dictionary_id(part), (full - 1) / 2, (full * full - 1) / 2, true});
  }
  rows.push_back({report.t("hash table, chained", "hash table, encadeada") + load +
                      report.percent(kChainedLoad),
                  "chained", kChainedLoad / 2, kChainedLoad, true});
  for (const CuckooShape& shape : kCuckooShapes) {
    const double part = results.number(prefix + dictionary_id(shape), "load");
    rows.push_back({report.t("cuckoo hash table, buckets of ", "cuckoo hash table, buckets de ") +
                        std::to_string(shape.bucket_entries) + load + report.percent(part),
                    dictionary_id(shape), report::kNone, 2 * shape.bucket_entries * part, true});
  }
  rows.push_back(
      {"hash compaction, " + report.fixed(results.number(prefix + "keys", "bits"), 0) + " bits",
       "hash compaction", kChainedLoad / 2, kChainedLoad, false});
  rows.push_back({today + "MPHF `" + std::string(mphf::builders().front().name) + "`" +
                      report.t(" and the pointers", " e os apontadores"),
                  "perfect", 0, 1, true});
  for (const char* type : kDictionaryFilters) {
    rows.push_back({today + report.t("filter `", "filtro `") + type + "`, 1/256",
                    dictionary_id(type), report::kNone, report::kNone, false});
  }
  return rows;
}

void report_keys(const Results& results, Report& report, const std::string& set) {
  const std::string prefix = set + "/";
  const double keys = results.number(prefix + "keys", "keys");
  const std::string theory = report.t("theory", "teoria");
  report::Table table({report.t("dictionary", "dicionário"),
                       report.t("build (ns a key)", "construção (ns por chave)"),
                       report.t("there (ns, least / median)", "presente (ns, menor / mediana)"),
                       report.t("not there", "ausente"), report.t("bytes a key", "bytes por chave"),
                       report.t("collisions, there", "colisões, presente"), theory,
                       report.t("not there", "ausente"), theory,
                       report.t("wrongly found", "achadas por engano")});
  double lost = 0;
  double invented = 0;
  double farthest = 0;
  for (const Row& row : rows_of(results, report, prefix)) {
    const std::string id = prefix + row.id;
    const auto number = [&](const char* field) { return results.number(id, field); };
    const auto times = [&](const char* field) {
      const LeastMedian all = times_of(results[id].at(field).get<std::vector<double>>());
      return report.fixed(1e9 * all.least, 0) + " / " + report.fixed(1e9 * all.median, 0);
    };
    lost += 1 - number("present_found");
    if (row.is_exact) invented += number("absent_found");
    for (const auto& [field, expected] : {std::pair{"present_collisions", row.present},
                                          std::pair{"absent_collisions", row.absent}}) {
      if (expected > 0) farthest = std::max(farthest, std::abs(number(field) / expected - 1));
    }
    const bool is_filter = row.id.starts_with("filter/");
    const auto collisions = [&](const char* field) {
      return is_filter ? std::string("-") : report.fixed(number(field), 2);
    };
    table.add({row.name, report.fixed(1e9 * number("build_seconds") / keys, 0),
               times("present_seconds"), times("absent_seconds"),
               report.fixed(number("bytes_per_key"), 2), collisions("present_collisions"),
               report.fixed(row.present, 2), collisions("absent_collisions"),
               report.fixed(row.absent, 2), report.percent(number("absent_found"), 3)});
  }
  report.table(table);
  const auto absent = [&](double load) {
    return times_of(results[prefix + dictionary_id(load)]
                        .at("absent_seconds")
                        .get<std::vector<double>>())
        .least;
  };
  report.paragraph(
      (lost == 0 && invented == 0
           ? report.t("Every key that was put in is found, and no exact dictionary finds another. ",
                      "Cada chave inserida é encontrada, e nenhum dicionário exato encontra "
                      "outra. ")
           : report.t("KEYS ARE LOST OR INVENTED. ", "CHAVES SE PERDEM OU SÃO INVENTADAS. ")) +
      report.t("The collisions are at the farthest ", "As colisões ficam no máximo a ") +
      report.percent(farthest, 1) + report.t(" from those of theory: ", " das da teoria: ") +
      report.word(farthest < 0.03 ? Verdict::agrees : Verdict::inconclusive) +
      report.t(". A search for a key that is not there is ",
               ". A pesquisa de uma chave ausente é ") +
      report.fixed(absent(kProbingLoads.back()) / absent(kProbingLoads.front()), 1) +
      report.t(" times as long in a table of linear probing at load ",
               " vezes mais longa em uma tabela de hashing linear com carga ") +
      report.percent(kProbingLoads.back()) + report.t(" as at ", " que com ") +
      report.percent(kProbingLoads.front()) +
      report.t("; insertion into a cuckoo hash table made ",
               "; a inserção em uma cuckoo hash table fez ") +
      report.fixed(results.number(prefix + dictionary_id(kCuckooShapes[0]), "moves"), 2) +
      report.t(" relocations a key with buckets of one, and ",
               " realocações por chave com buckets de um, e ") +
      report.fixed(results.number(prefix + dictionary_id(kCuckooShapes[1]), "moves"), 2) +
      report.t(" with buckets of four filled to ", " com buckets de quatro ocupados até ") +
      report.percent(results.number(prefix + dictionary_id(kCuckooShapes[1]), "load")) + ".");
}

}  // namespace

void report_dictionaries(const Results& results, Report& report) {
  for (const std::string set : kSets) {
    if (!results.measured(set + "/" + dictionary_id(kDictionaryFilters.back()))) return;
  }
  report.paragraph(report.t(
      "The documents' dictionaries in memory (linear probing: dissertation, 3.2; the chained "
      "table, "
      "hash compaction and the cuckoo hash table: thesis, 2.1.2, 2.1.3 and 4.1), all with XXH3, so "
      "that they differ in their scheme alone. Those of the first rows are exact: their entries "
      "are "
      "pointers of 4 bytes into one contiguous key set. A collision is another key that a search "
      "meets and compares. None of the documents prints such a comparison; the columns \"theory\" "
      "have the collisions that they derive, or that follow from what they say.",
      "Os dicionários dos documentos em memória (hashing linear: dissertação, 3.2; a tabela "
      "encadeada, hash compaction e a cuckoo hash table: monografia, 2.1.2, 2.1.3 e 4.1), todos "
      "com "
      "XXH3, de modo que diferem só no esquema. Os das primeiras linhas são exatos: as entradas "
      "são "
      "apontadores de 4 bytes para um conjunto contíguo de chaves. Uma colisão é outra chave que a "
      "pesquisa encontra e compara. Nenhum dos documentos imprime tal comparação; as colunas "
      "\"teoria\" têm as colisões que eles derivam, ou que seguem do que dizem."));
  for (const std::string set : kSets) {
    const std::string prefix = set + "/";
    const double keys = results.number(prefix + "keys", "keys");
    report.heading(3, (set == "words" ? report.t("The vocabulary", "O vocabulário")
                                      : report.t("The URLs", "As URLs")) +
                          ": " + report.grouped(keys) + report.t(" keys, ", " chaves, ") +
                          report.fixed(results.number(prefix + "keys", "text_bytes") / keys, 2) +
                          report.t(" bytes of text each", " bytes de texto cada"));
    report_keys(results, report, set);
  }
  const auto bytes = [&](const std::string& id) {
    return report.fixed(results.number("words/" + id, "bytes_per_key"), 2);
  };
  report.paragraph(
      report.t("The thesis counts the space of elements alone. Pointers, links and free entries "
               "show here: hash compaction with linked lists, ",
               "A monografia conta só o espaço dos elementos. Apontadores, ligações e entradas "
               "livres aparecem aqui: hash compaction com listas ligadas, ") +
      bytes("hash compaction") +
      report.t(" bytes a key, beside an exact cuckoo hash table's ",
               " bytes por chave, ao lado dos ") +
      bytes(dictionary_id(kCuckooShapes[1])) +
      report.t(" (without its keys); Crivo's filter `hash-compaction`, with linear probing in "
               "their place, ",
               " de uma cuckoo hash table exata (sem as chaves); o filtro `hash-compaction` do "
               "Crivo, com hashing linear no lugar delas, ") +
      bytes(dictionary_id("hash-compaction")) +
      report.t("; today's MPHF and its pointers ", "; a FHPM de hoje e os seus apontadores ") +
      bytes("perfect") + ".");
}

}  // namespace crivo::experiments
