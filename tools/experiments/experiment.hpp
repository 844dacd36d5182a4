// SPDX-License-Identifier: Apache-2.0
/// What an experiment is to the program.
#pragma once

#include <span>
#include <string_view>

#include "experiments/report.hpp"
#include "experiments/results.hpp"
#include "experiments/run.hpp"

namespace crivo::experiments {

/// Measured first, reported later, perhaps by another run of the program: `report` has nothing but
/// the results to go by.
struct Experiment {
  std::string_view name;        ///< of --only: lower case, words joined by -
  std::string_view title;       ///< the heading in the report
  std::string_view portuguese;  ///< and in the Portuguese one
  /// Every measured number goes through run.step().
  void (*measure)(Run& run);
  /// Tables beside the document's printed figures, plots, and what agrees, what differs and why.
  void (*report)(const Results& results, Report& report);
  /// Its figures are times: it is measured by itself, and at the full scale on an idle machine.
  bool timed = false;
};

/// What a full run takes, one job at a time: of --help and the report.
inline constexpr const char* kFullRunCost = "about 4 hours and 4 GiB of memory";
inline constexpr const char* kFullRunCostInPortuguese = "cerca de 4 horas e 4 GiB de memória";

/// All, in the order of the report.
std::span<const Experiment> experiments() noexcept;

}  // namespace crivo::experiments
