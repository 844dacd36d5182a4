#include "experiments/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

namespace crivo::experiments {
namespace {

/// The 97.5th percentile of Student's distribution.
double student(std::size_t degrees) {
  constexpr std::array kTable{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                              2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                              2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                              2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  if (degrees <= kTable.size()) return kTable[degrees - 1];
  // The first terms of its expansion about the normal distribution's.
  constexpr double kNormal = 1.959964;
  const auto d = static_cast<double>(degrees);
  const double cube = kNormal * kNormal * kNormal;
  return kNormal + (cube + kNormal) / (4 * d);
}

}  // namespace

Summary summary(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  Summary all{.mean = std::accumulate(values.begin(), values.end(), 0.0) / n};
  if (values.size() < 2) return all;
  double squares = 0;
  for (const double value : values) squares += (value - all.mean) * (value - all.mean);
  all.deviation = std::sqrt(squares / (n - 1));
  all.half_width = student(values.size() - 1) * all.deviation / std::sqrt(n);
  return all;
}

Line regression(std::span<const double> x, std::span<const double> y) {
  const double mean_x = summary(x).mean;
  const double mean_y = summary(y).mean;
  double xx = 0;
  double xy = 0;
  double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
  }
  const double slope = xy / xx;
  return {.intercept = mean_y - slope * mean_x,
          .slope = slope,
          .r = yy > 0 ? xy / std::sqrt(xx * yy) : 0};
}

double crossing(std::span<const double> x, std::span<const double> y, double level) {
  for (std::size_t i = 1; i < x.size(); ++i) {
    const double low = std::min(y[i - 1], y[i]);
    const double high = std::max(y[i - 1], y[i]);
    if (level < low || level > high) continue;
    if (low == high) return x[i];
    return x[i - 1] + (x[i] - x[i - 1]) * (level - y[i - 1]) / (y[i] - y[i - 1]);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace crivo::experiments
