// SPDX-License-Identifier: Apache-2.0
/// Plots as SVG, which no other program has to draw.
#pragma once

#include <string>
#include <vector>

#include "report/table.hpp"

namespace crivo::report {

struct Point {
  double x = 0;
  double y = 0;
  double low = kNone;  ///< y's interval, drawn where it is given
  double high = kNone;
  std::string label{};  ///< its name, put beside it
};

struct Series {
  enum class Style {
    points,
    line,         ///< straight from point to point, without marks
    line_points,  ///< and with marks
    steps,        ///< a line of steps, each around its x, for distributions
    bars,         ///< from 0, or where y is logarithmic from the panel's edge; beside each other
  };

  std::string title;  ///< in the legend, once for series of one title and style in several panels
  Style style = Style::line_points;
  std::vector<Point> points{};
  bool reference = false;     ///< what others are compared with: hollow marks, dashed lines
  std::string coloured_as{};  ///< the title of the series whose colour it has; empty: its own
};

struct Axis {
  std::string title{};
  /// In the distance from `floor`: so what is near to the best possible is told apart as well as
  /// what is far. What is not above the floor stands at the axis's beginning.
  bool logarithmic = false;
  double floor = 0;
  double low = kNone;  ///< where it begins and ends; else as the points have it
  double high = kNone;
  std::vector<std::string> names{};  ///< of the values 0, 1, 2, ..., in the place of numbers
};

struct Panel {
  std::string title{};
  Axis x{};
  Axis y{};
  std::vector<Series> series{};
};

struct Plot {
  std::string title{};
  std::string subtitle{};  ///< under the title, in as many lines as it takes
  std::vector<Panel> panels{};
  unsigned columns = 1;  ///< panels beside each other
};

/// A complete SVG document, 860 pixels wide. The legend stands above the panels (none where there
/// is one series, which the titles name). Labels are put where they cover neither each other nor a
/// point, joined by a line to theirs where that is not next to it. What lies outside of an axis's
/// range is cut off.
std::string to_svg(const Plot& plot);

}  // namespace crivo::report
