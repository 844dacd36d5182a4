/// What is written of the results: DIR/report.md and its plots.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "experiments/plot.hpp"
#include "experiments/results.hpp"
#include "report/table.hpp"

namespace crivo::experiments {

/// The results of each experiment, by its name.
using AllResults = std::map<std::string, Results, std::less<>>;

/// Markdown, piece after piece; plots are drawn as they are added.
class Report {
 public:
  /// `directory` is there; `all` outlives it.
  Report(std::filesystem::path directory, const AllResults& all)
      : directory_(std::move(directory)), all_(all) {}

  /// The results of another experiment, whose figures a table sets beside its own; null if they are
  /// not complete.
  const Results* results_of(std::string_view experiment) const;

  /// An experiment's is of level 2, a table's or figure's of level 3.
  void heading(unsigned level, const std::string& text);
  void paragraph(const std::string& text);
  void table(const report::Table& table) { add(table.write(report::TableForm::markdown)); }
  /// Draws it and shows it. Throws Error(io).
  void plot(const Plot& plot);

  const std::string& text() const noexcept { return text_; }
  /// Writes report.md, whole or not at all. Throws Error(io).
  void save() const;

 private:
  void add(const std::string& block) { text_ += (text_.empty() ? "" : "\n") + block; }

  std::filesystem::path directory_;
  const AllResults& all_;
  std::string text_;
};

}  // namespace crivo::experiments
