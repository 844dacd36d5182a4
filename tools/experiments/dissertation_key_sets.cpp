// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "experiments/dissertation.hpp"
#include "experiments/printed/dissertation.hpp"

namespace crivo::experiments {
namespace {

Json lengths(const KeySet& keys) {
  std::size_t shortest = std::numeric_limits<std::size_t>::max();
  std::size_t longest = 0;
  for (std::uint64_t i = 0; i < keys.size(); ++i) {
    shortest = std::min(shortest, keys[i].size());
    longest = std::max(longest, keys[i].size());
  }
  const auto bytes = static_cast<double>(keys.text().size() - keys.size());
  return {{"keys", keys.size()},
          {"shortest", shortest},
          {"longest", longest},
          {"mean", bytes / static_cast<double>(keys.size())}};
}

void measure_key_sets(Run& run) {
  run.step("words", [&] { return lengths(run.key_sets().words()); });
  run.step("urls", [&] { return lengths(run.key_sets().urls()); });
}

void report_key_sets(const Results& results, Report& report) {
  report.heading(3, report.t("Table 4.2: the key sets", "Tabela 4.2: os conjuntos de chaves"));
  const std::string printed = report.t("printed", "impresso");
  report::Table table({report.t("set", "conjunto"), report.t("keys", "chaves"),
                       report.t("shortest", "menor"), report.t("longest", "maior"),
                       report.t("mean length", "tamanho médio"),
                       printed + ": " + report.t("shortest", "menor"), report.t("longest", "maior"),
                       report.t("mean length", "tamanho médio")});
  const auto add = [&](const std::string& name, const char* id, const printed::KeySet& old) {
    const auto number = [&](const char* field) {
      return report.grouped(results.number(id, field));
    };
    table.add({name, number("keys"), number("shortest"), number("longest"),
               report.fixed(results.number(id, "mean"), 2),
               report.fixed(static_cast<double>(old.shortest), 0),
               report.fixed(static_cast<double>(old.longest), 0), report.fixed(old.mean, 2)});
  };
  add(report.t("vocabulary (TREC-VLC2)", "vocabulário (TREC-VLC2)"), "words", printed::kWords);
  add("URLs", "urls", printed::kUrls);
  report.table(table);
  const Circumstances& about = results.about();
  if (about.words == "generated" && about.urls == "generated") {
    report.paragraph(report.t(
        "The document's collections are not to be had. `crivo gen words` and `crivo gen urls` make "
        "as many keys, with the same least and greatest lengths and about the same mean; the "
        "functions are applied to these.",
        "As coleções do documento não estão disponíveis. `crivo gen words` e `crivo gen urls` "
        "geram o mesmo número de chaves, com os mesmos tamanhos mínimo e máximo e quase a mesma "
        "média; é a elas que as funções são aplicadas."));
  } else {
    report.paragraph(report.t("Words: ", "Palavras: ") + about.words + "; URLs: " + about.urls +
                     ".");
  }
}

}  // namespace

Experiment key_sets_experiment() {
  return {"key-sets", "The key sets (dissertation, section 4.1)",
          "Os conjuntos de chaves (dissertação, seção 4.1)", measure_key_sets, report_key_sets};
}

}  // namespace crivo::experiments
