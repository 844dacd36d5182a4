// SPDX-License-Identifier: Apache-2.0
#include "experiments/whole_report.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "experiments/dissertation_growth.hpp"
#include "experiments/dissertation_linear_probing.hpp"
#include "experiments/dissertation_mphf.hpp"
#include "experiments/experiment.hpp"
#include "experiments/thesis_hyphenation.hpp"

namespace crivo::experiments {
namespace {

/// All that was measured, where it says different things of an experiment and another.
struct Origin {
  std::set<std::string> commits;
  std::set<std::string> machines;
  std::string first;
  std::string last;
  double seconds = 0;
  double least_load = 1e9;
  double most_load = 0;
  double load_sum = 0;
  unsigned steps = 0;

  void add(const Record& record) {
    if (record.steps == 0) return;
    const Machine& machine = record.machine;
    commits.insert("`" + record.commit + "`");
    machines.insert(machine.cpu + ", " + std::to_string(machine.cores) + " cores, " +
                    machine.memory + ", " + machine.system + ", " + machine.compiler);
    if (steps == 0 || record.first < first) first = record.first;
    if (steps == 0 || record.last > last) last = record.last;
    seconds += record.seconds;
    least_load = std::min(least_load, record.least_load);
    most_load = std::max(most_load, record.most_load);
    load_sum += record.load_sum;
    steps += record.steps;
  }
};

std::string joined(const std::set<std::string>& all) {
  std::string text;
  for (const std::string& one : all) text += (text.empty() ? "" : "; ") + one;
  return text;
}

/// How often something was repeated, in the rows that were measured.
struct Repetitions {
  std::size_t least = SIZE_MAX;
  std::size_t most = 0;

  void add(std::size_t count) {
    if (count == 0) return;
    least = std::min(least, count);
    most = std::max(most, count);
  }
  std::string text(const Report& report) const {
    if (most == 0) return report.t("not measured", "não medidas");
    if (least == most) return std::to_string(most);
    return std::to_string(least) + report.t(" to ", " a ") + std::to_string(most);
  }
};

/// What the documents repeat, and what was repeated here.
std::string repetitions(const Report& report) {
  Repetitions collisions;
  Repetitions generation;
  Repetitions growth;
  Repetitions hyphenation;
  const Results* const probing = report.results_of("linear-probing");
  const Results* const mphf = report.results_of("mphf");
  for (const std::string_view set : kSets) {
    for (const NamedHash& hash : std::span(kNamedHashes).first(kOldHashes)) {
      const std::string step = collisions_step(set, hash);
      if (probing != nullptr && probing->has(step)) {
        collisions.add((*probing)[step].at(report::fixed(kLoads[0], 2)).size());
      }
      for (const NamedAlgorithm& algorithm : kNamedAlgorithms) {
        if (mphf == nullptr || !algorithm.of_document) continue;
        generation.add(generations(*mphf, set, hash, algorithm).size());
      }
    }
  }
  if (const Results* const results = report.results_of("growth"); results != nullptr) {
    for (const std::uint64_t keys : growth_sizes(*results)) {
      const std::string step = growth_step(kNamedHashes[0], keys);
      if (results->has(step)) growth.add((*results)[step].at("mwhc2").at("attempts").size());
    }
  }
  if (const Results* const results = report.results_of("hyphenation"); results != nullptr) {
    std::size_t count = 0;
    while (results->has(repetition_id(static_cast<unsigned>(count)))) ++count;
    hyphenation.add(count);
  }
  return report.t(
             "Repetitions: the dissertation's figures are means of 50 runs (those of its "
             "growth tables of 30, see the errata), the thesis's of 30. Here, in the rows that "
             "were measured: collisions of linear probing ",
             "Repetições: os valores da dissertação são médias de 50 execuções (os das suas "
             "tabelas de crescimento, de 30, ver a errata), os da monografia de 30. Aqui, nas "
             "linhas medidas: colisões do hashing linear ") +
         collisions.text(report) +
         report.t("; generation over all keys ", "; geração para todas as chaves ") +
         generation.text(report) +
         report.t(", and by number of keys ", ", e por número de chaves ") + growth.text(report) +
         report.t(
             ", the fewer the more keys, as one generation takes up to a minute and the "
             "machine was shared; hyphenation ",
             ", tanto menos quanto mais chaves, pois uma geração leva até um minuto e a "
             "máquina era compartilhada; hifenização ") +
         hyphenation.text(report) +
         report.t(
             ". What few runs leave open about N_i the experiment `faithful` tells from many "
             "graphs. The documents' slips are in [errata.md](../errata.md).",
             ". O que poucas execuções deixam em aberto sobre N_i o experimento `faithful` diz "
             "a partir de muitos grafos. Os deslizes dos documentos estão em "
             "[errata.pt.md](../errata.pt.md).");
}

void introduce(Report& report, const Origin& origin, const Circumstances& about) {
  report.heading(1, report.t("The experiments of the seeds, run again",
                             "Os experimentos das sementes, executados de novo"));
  report.paragraph(
      report.t("Measured by `crivo-experiments --scale ",
               "Medido por `crivo-experiments --scale ") +
      about.scale + " --repeat " + std::to_string(about.repeat) + "` (Crivo " + about.version +
      report.t(", commit ", ", commit ") + joined(origin.commits) + report.t(") from ", ") de ") +
      origin.first + report.t(" to ", " a ") + origin.last + " (UTC; " +
      report.fixed(origin.seconds / 3600, 1) +
      report.t(" hours of steps, some of them at once) on ",
               " horas de passos, alguns ao mesmo tempo) em ") +
      joined(origin.machines) +
      report.t(". Others used the machine too: from ", ". Outros também usavam a máquina: de ") +
      report.fixed(origin.least_load, 1) + report.t(" to ", " a ") +
      report.fixed(origin.most_load, 1) +
      report.t(" threads wanted a core, ", " threads disputavam um núcleo, ") +
      report.fixed(origin.load_sum / std::max(1U, origin.steps), 1) +
      report.t(" on average. So times are CPU times of one thread, in seconds unless it says "
               "otherwise, and the least and the median of at least 10 passes where there are as "
               "many; they are noisy all the same.",
               " em média. Por isso os tempos são tempos de CPU de uma thread, em segundos salvo "
               "indicação, e são o menor e a mediana de pelo menos 10 passagens onde há tantas; "
               "ainda assim têm ruído."));
  report.paragraph(report.t(
      "\"Printed\" is what the document has, from its own machine. \"a ± b\" is a mean and "
      "half the width of its 95 % interval (Student's t), \"-\" for a single run. Verdicts "
      "are computed from these: a figure that is printed, or that theory has, **differs** "
      "where it is outside of the interval (with its rounding), **agrees** where it is "
      "inside and the interval is no wider than a tenth of it to either side, and is "
      "**undecided** else. Of several loads at once the intervals are widened so that all "
      "of them hold together in 95 of 100 cases. No verdict was written beforehand.",
      "\"Impresso\" é o que o documento tem, da máquina dele. \"a ± b\" é uma média e metade "
      "da largura do seu intervalo de 95 % (t de Student), \"-\" para uma única execução. Os "
      "veredictos são calculados a partir disso: um valor impresso, ou da teoria, "
      "**difere** se está fora do intervalo (com o arredondamento), **concorda** se está "
      "dentro e o intervalo não passa de um décimo dele para cada lado, e é **indeciso** "
      "nos demais casos. Para várias cargas ao mesmo tempo os intervalos são alargados de "
      "modo que valham todos juntos em 95 de 100 casos. Nenhum veredicto foi escrito de "
      "antemão."));
  if (about.scale == "full") report.paragraph(repetitions(report));
}

void write_report(Report report, const AllResults& all) {
  Origin origin;
  Circumstances about;
  for (const auto& [name, results] : all) {
    if (results.empty()) continue;
    origin.add(results.record());
    about = results.about();
  }
  introduce(report, origin, about);
  for (const Experiment& experiment : experiments()) {
    const Results* const results = report.results_of(experiment.name);
    if (results == nullptr) continue;
    report.heading(2, report.t(experiment.title, experiment.portuguese));
    const Record& record = results->record();
    report.paragraph(report.t("Experiment `", "Experimento `") + std::string(experiment.name) +
                     "`, " + record.first + report.t(" to ", " a ") + record.last + ", " +
                     report.t("load ", "carga da máquina ") +
                     report.fixed(record.load_sum / std::max(1U, record.steps), 1) + ".");
    if (!results->complete()) {
      report.paragraph(
          report.t("**Not all of it was measured**: what is missing below was not in "
                   "the time of the run.",
                   "**Nem tudo foi medido**: o que falta abaixo não coube no tempo da "
                   "execução."));
    }
    experiment.report(*results, report);
  }
  report.save();
}

}  // namespace

void write_reports(const std::filesystem::path& directory, const AllResults& all) {
  for (const Language language : {Language::english, Language::portuguese}) {
    write_report(Report(directory, all, language), all);
  }
}

}  // namespace crivo::experiments
