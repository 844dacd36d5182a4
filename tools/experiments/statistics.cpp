// SPDX-License-Identifier: Apache-2.0
#include "experiments/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

namespace crivo::experiments {
namespace {

/// The continued fraction of the incomplete beta function (Lentz).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  double c = 1;
  double d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < kTiny ? kTiny : d);
  double value = d;
  for (int m = 1; m <= 300; ++m) {
    for (const double term : {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                              -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))}) {
      d = 1 + term * d;
      d = 1 / (std::abs(d) < kTiny ? kTiny : d);
      c = 1 + term / c;
      if (std::abs(c) < kTiny) c = kTiny;
      value *= d * c;
    }
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return value;
}

/// The incomplete beta function I_x(a, b), by the fraction that converges; `rest` is 1 - x.
double incomplete_beta(double a, double b, double x, double rest) {
  if (x <= 0) return 0;
  if (rest <= 0) return 1;
  const double log =
      std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(rest);
  if (x < (a + 1) / (a + b + 2)) return std::exp(log) * beta_fraction(a, b, x) / a;
  return 1 - std::exp(log) * beta_fraction(b, a, rest) / b;
}

/// The probability that Student's t is above `t`, which is not negative.
double student_tail(double t, double degrees) {
  const double sum = degrees + t * t;
  return incomplete_beta(degrees / 2, 0.5, degrees / sum, t * t / sum) / 2;
}

}  // namespace

Summary summary(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  Summary all{.count = values.size(),
              .mean = std::accumulate(values.begin(), values.end(), 0.0) / n};
  if (values.size() < 2) return all;
  double squares = 0;
  for (const double value : values) squares += (value - all.mean) * (value - all.mean);
  all.deviation = std::sqrt(squares / (n - 1));
  all.half_width = student_quantile(0.975, n - 1) * all.deviation / std::sqrt(n);
  return all;
}

LeastMedian times_of(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  const std::size_t half = seconds.size() / 2;
  const double upper = seconds[half];
  return {.least = seconds.front(),
          .median = seconds.size() % 2 == 1 ? upper : (seconds[half - 1] + upper) / 2};
}

double student_quantile(double p, double degrees) {
  double low = 0;
  double high = 1;
  while (student_tail(high, degrees) > 1 - p) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (student_tail(middle, degrees) > 1 - p ? low : high) = middle;
  }
  return low;
}

double beta_quantile(double p, double a, double b) {
  double low = 0;
  double high = 1;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (incomplete_beta(a, b, middle, 1 - middle) < p ? low : high) = middle;
  }
  return low;
}

Verdict verdict(const Summary& measured, double figure, double rounding, std::size_t comparisons) {
  if (measured.count < kEnoughRuns) return Verdict::too_few;
  const auto n = static_cast<double>(measured.count);
  const double p = 1 - 0.025 / static_cast<double>(comparisons);
  const double half_width = student_quantile(p, n - 1) * measured.deviation / std::sqrt(n);
  if (std::abs(measured.mean - figure) > half_width + rounding) return Verdict::differs;
  return half_width <= 0.1 * std::abs(figure) ? Verdict::agrees : Verdict::inconclusive;
}

Order paired_order(std::span<const double> first, std::span<const double> second) {
  const std::size_t pairs = std::min(first.size(), second.size());
  std::size_t more = 0;
  std::size_t less = 0;
  for (std::size_t i = 0; i < pairs; ++i) {
    more += first[i] > second[i] ? 1 : 0;
    less += first[i] < second[i] ? 1 : 0;
  }
  // The probability of so few on one side, or fewer.
  const auto n = static_cast<double>(more + less);
  double term = std::pow(0.5, n);
  double tail = 0;
  for (std::size_t k = 0; k <= std::min(more, less); ++k) {
    tail += term;
    term *= (n - static_cast<double>(k)) / (static_cast<double>(k) + 1);
  }
  if (n == 0 || 2 * tail > 0.05) return Order::inconclusive;
  return more > less ? Order::more : Order::less;
}

Order order(std::span<const double> first, std::span<const double> second) {
  const auto n = static_cast<double>(first.size());
  const auto m = static_cast<double>(second.size());
  if (n == 0 || m == 0) return Order::inconclusive;
  double above = 0;  // pairs in which the first is the larger one
  for (const double a : first) {
    for (const double b : second) above += a > b ? 1 : a == b ? 0.5 : 0;
  }
  const double deviations = (above - n * m / 2) / std::sqrt(n * m * (n + m + 1) / 12);
  if (std::abs(deviations) <= 1.959964) return Order::inconclusive;
  return deviations > 0 ? Order::more : Order::less;
}

Proportion proportion(std::uint64_t successes, std::uint64_t trials) {
  constexpr double kNormal = 1.959964;
  const auto n = static_cast<double>(trials);
  const double p = static_cast<double>(successes) / n;
  const double square = kNormal * kNormal;
  const double centre = (p + square / (2 * n)) / (1 + square / n);
  const double half =
      kNormal * std::sqrt(p * (1 - p) / n + square / (4 * n * n)) / (1 + square / n);
  return {successes, trials, std::max(0.0, centre - half), std::min(1.0, centre + half)};
}

Verdict verdict(const Proportion& measured, double probability) {
  if (probability < measured.low || probability > measured.high) return Verdict::differs;
  const double half_width = (measured.high - measured.low) / 2;
  return half_width <= probability / 2 ? Verdict::agrees : Verdict::inconclusive;
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
