// SPDX-License-Identifier: Apache-2.0
/// What is written of the results: report.md, report.pt.md and their plots.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "experiments/attempts.hpp"
#include "experiments/results.hpp"
#include "experiments/statistics.hpp"
#include "report/plot.hpp"
#include "report/table.hpp"

namespace crivo::experiments {

/// The results of each experiment, by its name.
using AllResults = std::map<std::string, Results, std::less<>>;

enum class Language { english, portuguese };

/// Markdown in one language, piece after piece; plots are drawn as they are added.
class Report {
 public:
  /// `directory` is there; `all` outlives it.
  Report(std::filesystem::path directory, const AllResults& all,
         Language language = Language::english)
      : directory_(std::move(directory)), all_(all), language_(language) {}

  /// The results of another experiment, whose figures a table sets beside its own; null if there
  /// are none.
  const Results* results_of(std::string_view experiment) const;

  /// The text in the report's language.
  std::string t(std::string_view english, std::string_view portuguese) const {
    return std::string(language_ == Language::english ? english : portuguese);
  }
  /// As report::fixed(), grouped() and percent(), with the language's decimal and group marks.
  std::string fixed(double value, int decimals) const {
    return marked(report::fixed(value, decimals));
  }
  std::string grouped(double value) const {
    return marked(report::grouped(static_cast<std::uint64_t>(value)));
  }
  std::string percent(double part, int decimals = 0) const {
    return marked(report::percent(part, decimals));
  }
  /// "4.33 ± 0.21": the mean and half the width of its 95 % interval; of a single run "4.33 ± -".
  std::string interval(const Summary& summary, int decimals) const;
  /// "3.14 (2.52 - 4.05)": the mean and its exact 95 % interval.
  std::string interval(const Attempts& attempts) const;
  /// A verdict as a word.
  std::string word(Verdict verdict) const;

  /// An experiment's is of level 2, a table's or figure's of level 3.
  void heading(unsigned level, const std::string& text);
  void paragraph(const std::string& text);
  void table(const report::Table& table) { add(table.write(report::TableForm::markdown)); }
  /// Draws it into NAME.svg, in Portuguese NAME.pt.svg, and shows it. Throws Error(io).
  void plot(const std::string& name, const report::Plot& plot);

  const std::string& text() const noexcept { return text_; }
  /// Writes report.md or report.pt.md, whole or not at all. Throws Error(io).
  void save() const;

 private:
  void add(const std::string& block) { text_ += (text_.empty() ? "" : "\n") + block; }
  std::string marked(std::string number) const;

  std::filesystem::path directory_;
  const AllResults& all_;
  Language language_;
  std::string text_;
};

}  // namespace crivo::experiments
