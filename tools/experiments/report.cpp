#include "experiments/report.hpp"

#include <fstream>
#include <system_error>

#include "crivo/error.hpp"

namespace crivo::experiments {

const Results* Report::results_of(std::string_view experiment) const {
  const auto found = all_.find(experiment);
  return found != all_.end() && found->second.complete() ? &found->second : nullptr;
}

void Report::heading(unsigned level, const std::string& text) {
  add(std::string(level, '#') + " " + text + "\n");
}

void Report::paragraph(const std::string& text) {
  add(text + "\n");
}

void Report::plot(const Plot& plot) {
  draw(plot, directory_);
  add("![" + plot.title + "](" + plot.name + ".svg)\n");
}

void Report::save() const {
  const std::filesystem::path path = directory_ / "report.md";
  const std::filesystem::path temporary = directory_ / "report.md.new";
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file << text_ << std::flush;
  if (!file) throw Error(ErrorKind::io, temporary.string() + ": cannot write");
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) throw Error(ErrorKind::io, path.string() + ": " + error.message());
}

}  // namespace crivo::experiments
