// SPDX-License-Identifier: Apache-2.0
/// The progress line.
#pragma once

#include <string>
#include <thread>
#include <vector>

#include "crivo/progress.hpp"
#include "program/common.hpp"

namespace crivo::cli {

/// The output that is written while a line is drawn.
enum class Meanwhile {
  nothing,
  answers,  ///< which a terminal may show
};

/// A line on standard error that says how far a Progress is as a whole, with a bar on a terminal,
/// the rate of its phase, the time left and what was spilled; drawn from the first second on while
/// the object lives, and wiped at its end. The bar has colour unless NO_COLOR is set.
///
/// With --progress auto it is drawn on a terminal that can move the cursor (TERM is set, and not
/// "dumb") and that nobody types keys or reads answers on. With `always`, what is no such terminal
/// gets plain lines, one every five seconds. --quiet has none.
class ProgressLine {
 public:
  /// `inputs` are the files that are read meanwhile ("-": standard input).
  ProgressLine(const Progress& progress, const ReportOptions& options,
               const std::vector<std::string>& inputs = {}, Meanwhile written = Meanwhile::nothing);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void draw_until(const std::stop_token& stop);
  void print_until(const std::stop_token& stop);

  const Progress& progress_;
  std::jthread thread_;
};

}  // namespace crivo::cli
