/// A scatter plot with a name at every point, as SVG.
#pragma once

#include <string>
#include <vector>

namespace crivo::bench {

struct Point {
  std::string label;
  std::string group;  ///< points of one group share a colour, and have a line in the legend
  double x = 0;       ///< positive
  double y = 0;
};

/// An axis is logarithmic in the distance from its floor, the least value that can be: so what is
/// near to the best possible is told apart as well as what is far.
struct AxisOptions {
  std::string title;
  double floor = 0;
};

struct Plot {
  std::string title;
  AxisOptions x;
  AxisOptions y;
  std::vector<Point> points;
};

/// A complete SVG document. Labels are put where they cover neither each other nor a point, joined
/// by a line to theirs where that is not next to it.
std::string to_svg(const Plot& plot);

}  // namespace crivo::bench
