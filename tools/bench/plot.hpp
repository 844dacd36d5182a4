/// A scatter plot with a name at every point, as SVG.
#pragma once

#include <string>
#include <vector>

namespace crivo::bench {

struct Point {
  std::string label;
  std::string group;  ///< points of one group share a colour, and have a line in the legend
  double x = 0;       ///< positive, as y is: both axes are logarithmic
  double y = 0;
};

struct Plot {
  std::string title;
  std::string x_axis;
  std::string y_axis;
  std::vector<Point> points;
};

/// A complete SVG document. Labels are put where they cover neither each other nor a point, joined
/// by a line to theirs where that is not next to it.
std::string to_svg(const Plot& plot);

}  // namespace crivo::bench
