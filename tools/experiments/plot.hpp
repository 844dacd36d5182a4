/// Plots, drawn by the program gnuplot.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace crivo::experiments {

struct PlotPoint {
  double x = 0;
  double y = 0;
  double error = 0;  ///< half the width of y's interval
};

struct Series {
  enum class Style {
    points,
    line,         ///< straight from point to point, without marks
    linespoints,  ///< and with marks
    error_bars,   ///< points with their intervals
    steps,        ///< a line of steps, for distributions
  };

  std::string title;
  Style style = Style::linespoints;
  std::vector<PlotPoint> points;
};

struct Axis {
  std::string title;
  bool logarithmic = false;
};

struct Plot {
  std::string name;  ///< of its files: NAME.dat, NAME.gp and NAME.svg
  std::string title{};
  Axis x{};
  Axis y{};
  std::vector<Series> series{};
};

/// Throws Error(io), which says what to install, if there is no program gnuplot.
void check_gnuplot();

/// Writes the points, gnuplot's script and the plot into `directory`. Throws Error(io).
void draw(const Plot& plot, const std::filesystem::path& directory);

}  // namespace crivo::experiments
