/// What is said of repeated measurements.
#pragma once

#include <span>

namespace crivo::experiments {

struct Summary {
  double mean = 0;
  double deviation = 0;   ///< of the sample, with n - 1; 0 of one value
  double half_width = 0;  ///< of the 95 % confidence interval of the mean (Student's t); 0 of one
};
/// Of at least one value.
Summary summary(std::span<const double> values);

/// The straight line of least squares.
struct Line {
  double intercept = 0;
  double slope = 0;
  double r = 0;  ///< the coefficient of correlation
  double at(double x) const noexcept { return intercept + slope * x; }
};
/// Of as many y as x, at least two, the x not all equal.
Line regression(std::span<const double> x, std::span<const double> y);

/// Where the piecewise straight line through the points (x, y), x ascending or descending and y
/// either way, first has the value `level`: a number between two of the x, or NaN.
double crossing(std::span<const double> x, std::span<const double> y, double level);

}  // namespace crivo::experiments
