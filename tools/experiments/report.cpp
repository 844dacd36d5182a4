// SPDX-License-Identifier: Apache-2.0
#include "experiments/report.hpp"

#include <cmath>
#include <fstream>
#include <system_error>

#include "crivo/error.hpp"

namespace crivo::experiments {
namespace {

/// Whole or not at all.
void write_whole(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::path temporary = path;
  temporary += ".new";
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  if (!file) throw Error(ErrorKind::io, temporary.string() + ": cannot write");
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) throw Error(ErrorKind::io, path.string() + ": " + error.message());
}

}  // namespace

const Results* Report::results_of(std::string_view experiment) const {
  const auto found = all_.find(experiment);
  return found != all_.end() && !found->second.empty() ? &found->second : nullptr;
}

std::string Report::interval(const Summary& summary, int decimals) const {
  if (std::isnan(summary.mean)) return "-";
  return fixed(summary.mean, decimals) + " ± " +
         (summary.count > 1 ? fixed(summary.half_width, decimals) : "-");
}

std::string Report::interval(const Attempts& attempts) const {
  return fixed(attempts.mean(), 2) + " (" + fixed(attempts.low, 2) + " - " +
         fixed(attempts.high, 2) + ")";
}

std::string Report::word(Verdict verdict) const {
  switch (verdict) {
    case Verdict::agrees:
      return t("agrees", "concorda");
    case Verdict::differs:
      return t("differs", "difere");
    case Verdict::too_few:
      return t("not enough runs", "execuções insuficientes");
    case Verdict::inconclusive:
      break;
  }
  return t("inconclusive", "inconclusivo");
}

void Report::heading(unsigned level, const std::string& text) {
  add(std::string(level, '#') + " " + text + "\n");
}

void Report::paragraph(const std::string& text) {
  add(text + "\n");
}

void Report::plot(const std::string& name, const report::Plot& plot) {
  const std::string file = name + t(".svg", ".pt.svg");
  write_whole(directory_ / file, report::to_svg(plot));
  add("![" + plot.title + "](" + file + ")\n");
}

void Report::save() const {
  write_whole(directory_ / t("report.md", "report.pt.md"), text_);
}

std::string Report::marked(std::string number) const {
  if (language_ == Language::english) return number;
  for (char& c : number) c = c == '.' ? ',' : c == ',' ? '.' : c;
  return number;
}

}  // namespace crivo::experiments
