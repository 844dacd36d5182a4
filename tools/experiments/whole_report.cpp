#include "experiments/whole_report.hpp"

#include <algorithm>
#include <set>

#include "experiments/experiment.hpp"

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
  if (about.scale == "full") {
    report.paragraph(report.t(
        "Repetitions: the dissertation has 50 (its growth tables 30, see the errata), the thesis "
        "30. Collisions of linear probing have 50 here, hyphenation 30, generation of few keys 50; "
        "of 10,935,928 keys a function is generated once a row, and of 400,000 to 6,400,000 keys "
        "16 "
        "times down to once, as one generation takes up to a minute and the machine was shared; "
        "what such rows leave open about N_i the experiment `faithful` tells from many graphs. The "
        "documents' slips are in [errata.md](../errata.md).",
        "Repetições: a dissertação tem 50 (as suas tabelas de crescimento 30, ver a errata), a "
        "monografia 30. As colisões do hashing linear têm 50 aqui, a hifenização 30, a geração "
        "para "
        "poucas chaves 50; para 10.935.928 chaves uma função é gerada uma vez por linha, e para "
        "400.000 a 6.400.000 chaves de 16 vezes a uma só, pois uma geração leva até um minuto e a "
        "máquina era compartilhada; o que tais linhas deixam em aberto sobre N_i o experimento "
        "`faithful` diz a partir de muitos grafos. Os deslizes dos documentos estão em "
        "[errata.pt.md](../errata.pt.md)."));
  }
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
