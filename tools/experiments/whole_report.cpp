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

  void add(const Report& report, const Record& record) {
    if (record.steps == 0) return;
    const Machine& machine = record.machine;
    commits.insert("`" + record.commit + "`");
    machines.insert(machine.cpu + ", " + std::to_string(machine.cores) +
                    report.t(" cores, ", " núcleos, ") + machine.memory + ", " + machine.system +
                    ", " + machine.compiler);
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
      for (const NamedHash& hash : std::span(kNamedHashes).first(kOldHashes)) {
        std::size_t count = 0;
        for (std::uint64_t block = 0; results->has(growth_step(hash, keys, block)); ++block) {
          const Json& step = (*results)[growth_step(hash, keys, block)];
          if (step.contains("mwhc2")) count += step.at("mwhc2").at("attempts").size();
        }
        growth.add(count);
      }
    }
  }
  if (const Results* const results = report.results_of("hyphenation"); results != nullptr) {
    std::size_t count = 0;
    while (results->has(repetition_id(static_cast<unsigned>(count)))) ++count;
    hyphenation.add(count);
  }
  return report.t(
             "Repetitions: the dissertation's figures are means of 50 runs (those of its growth "
             "tables of 30, see the errata), the thesis's of 30. A run below 10 s is to be "
             "repeated "
             "50 times here, a longer one 10 times; in the rows that were measured there are: "
             "collisions of linear probing ",
             "Repetições: os valores da dissertação são médias de 50 execuções (os das suas "
             "tabelas de crescimento, de 30, ver a errata), os da monografia de 30. Aqui uma "
             "execução de menos de 10 s deve ser repetida 50 vezes, uma mais longa 10 vezes; nas "
             "linhas medidas há: colisões do hashing linear ") +
         collisions.text(report) +
         report.t("; generation over all keys ", "; geração para todas as chaves ") +
         generation.text(report) +
         report.t(", and by number of keys ", ", e por número de chaves ") + growth.text(report) +
         report.t("; hyphenation ", "; hifenização ") + hyphenation.text(report) +
         report.t(
             ". What few runs leave open about N_i the experiment `faithful` tells from many "
             "graphs. The documents' slips are in [errata.md](../errata.md).",
             ". O que poucas execuções deixam em aberto sobre N_i, o experimento `faithful` mostra "
             "com muitos grafos. Os deslizes dos documentos estão em "
             "[errata.pt.md](../errata.pt.md).");
}

/// What is to be done where times were measured on a busy machine: all of these experiments.
void warn(Report& report) {
  std::string names;
  for (const Experiment& experiment : experiments()) {
    const Results* const results = report.results_of(experiment.name);
    if (results == nullptr || !experiment.timed || !results->full()) continue;
    if (results->record().most_load <= kMostLoad) continue;
    names += (names.empty() ? "`" : ", `") + std::string(experiment.name) + "`";
  }
  if (names.empty()) return;
  report.paragraph(
      report.t("**The times are to be measured again.** Those of ",
               "**Os tempos devem ser medidos de novo.** Os de ") +
      names +
      report.t(" were measured while others used the machine (a load above 1.5), which Crivo now "
               "discards. On an idle machine one command measures all of it, one experiment at a "
               "time, and goes on where it was interrupted (",
               " foram medidos enquanto outros usavam a máquina (carga acima de 1,5), o que o "
               "Crivo hoje descarta. Em uma máquina ociosa um único comando mede tudo, um "
               "experimento de cada vez, e continua de onde foi interrompido (") +
      report.t(kFullRunCost, kFullRunCostInPortuguese) +
      "): `crivo-experiments --scale full -o full`. " +
      report.t("Counts, rates and sizes do not depend on the load.",
               "Contagens, taxas e tamanhos não dependem da carga."));
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
      report.t(" hours of steps) on ", " horas de passos) em ") + joined(origin.machines) +
      report.t(". The load was ", ". A carga da máquina foi de ") +
      report.fixed(origin.least_load, 1) + report.t(" to ", " a ") +
      report.fixed(origin.most_load, 1) + ", " +
      report.fixed(origin.load_sum / std::max(1U, origin.steps), 1) +
      report.t(" on average (1: this program had the machine for itself). Times are CPU times of "
               "one thread, in seconds unless it says otherwise; \"load\" beside them is the "
               "highest of their steps, \"-\" where the results do not say it.",
               " em média (1: este programa tinha a máquina só para si). Os tempos são tempos de "
               "CPU de uma thread, em segundos salvo indicação; \"carga da máquina\" ao lado deles "
               "é a maior dos seus passos, \"-\" onde os resultados não a dizem."));
  report.paragraph(report.t(
      "\"Printed\" is what the document has, from its own machine. \"a ± b\" is a mean and half "
      "the width of its 95 % interval (Student's t), \"-\" for a single run; \"a (b - c)\" is a "
      "mean number of attempts and its exact 95 % interval, as attempts are geometric. Verdicts "
      "are computed from these. A figure that is printed, or that theory has, **differs** where it "
      "is outside of the interval (with its rounding), **agrees** where it is inside and the "
      "interval is narrow (no wider than a tenth of the figure to either side; of probabilities "
      "and attempts, half of the probability), and is **inconclusive** else. A printed number of "
      "attempts is itself a mean of 30 or 50 runs: it differs where runs of one probability are as "
      "far apart in at most 5 of 100 cases. Fewer than 10 runs are **not enough runs** for a "
      "verdict. Of several loads at once the intervals are widened so that all of them hold "
      "together in 95 of 100 cases.",
      "\"Impresso\" é o que o documento tem, da máquina dele. \"a ± b\" é uma média e metade da "
      "largura do seu intervalo de 95 % (t de Student), \"-\" para uma única execução; \"a (b - "
      "c)\" é um número médio de tentativas e o seu intervalo exato de 95 %, pois as tentativas "
      "são geométricas. Os veredictos são calculados a partir disso. Um valor impresso, ou da "
      "teoria, **difere** se está fora do intervalo (com o arredondamento), **concorda** se está "
      "dentro e o intervalo é estreito (não passa de um décimo do valor para cada lado; no caso "
      "de probabilidades e tentativas, de metade da probabilidade), e é **inconclusivo** nos "
      "demais casos. Um número impresso de tentativas é, ele mesmo, uma média de 30 ou 50 "
      "execuções: difere se execuções com uma mesma probabilidade ficam tão distantes em no máximo "
      "5 de 100 casos. Menos de 10 execuções são **execuções insuficientes** para um veredicto. "
      "Para várias cargas ao mesmo tempo os intervalos são alargados de modo que valham todos "
      "juntos em 95 de 100 casos."));
  if (about.scale == "full") report.paragraph(repetitions(report));
}

void write_report(Report report, const AllResults& all) {
  Origin origin;
  Circumstances about;
  for (const auto& [name, results] : all) {
    if (results.empty()) continue;
    origin.add(report, results.record());
    about = results.about();
  }
  introduce(report, origin, about);
  warn(report);
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
          report.t("**Not all of it was measured**: rows and runs that are missing below were not "
                   "in the time of the run. The same command goes on with them.",
                   "**Nem tudo foi medido**: as linhas e execuções que faltam abaixo não couberam "
                   "no tempo da execução. O mesmo comando continua com elas."));
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
