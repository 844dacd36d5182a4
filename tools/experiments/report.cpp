#include "experiments/report.hpp"

#include <cmath>
#include <fstream>
#include <system_error>

#include "crivo/error.hpp"

namespace crivo::experiments {

const Results* Report::results_of(std::string_view experiment) const {
  const auto found = all_.find(experiment);
  return found != all_.end() && found->second.complete() ? &found->second : nullptr;
}

std::string Report::interval(const Summary& summary, int decimals) const {
  if (std::isnan(summary.mean)) return "-";
  return fixed(summary.mean, decimals) + " ± " +
         (summary.count > 1 ? fixed(summary.half_width, decimals) : "-");
}

std::string Report::word(Verdict verdict) const {
  switch (verdict) {
    case Verdict::agrees:
      return t("agrees", "concorda");
    case Verdict::differs:
      return t("differs", "difere");
    case Verdict::undecided:
      break;
  }
  return t("undecided", "indeciso");
}

void Report::heading(unsigned level, const std::string& text) {
  add(std::string(level, '#') + " " + text + "\n");
}

void Report::paragraph(const std::string& text) {
  add(text + "\n");
}

void Report::plot(Plot plot) {
  plot.name += t("", ".pt");
  draw(plot, directory_);
  add("![" + plot.title + "](" + plot.name + ".svg)\n");
}

void Report::save() const {
  const std::string name = t("report.md", "report.pt.md");
  const std::filesystem::path path = directory_ / name;
  const std::filesystem::path temporary = directory_ / (name + ".new");
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file << text_ << std::flush;
  if (!file) throw Error(ErrorKind::io, temporary.string() + ": cannot write");
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) throw Error(ErrorKind::io, path.string() + ": " + error.message());
}

std::string Report::marked(std::string number) const {
  if (language_ == Language::english) return number;
  for (char& c : number) c = c == '.' ? ',' : c == ',' ? '.' : c;
  return number;
}

}  // namespace crivo::experiments
