// SPDX-License-Identifier: Apache-2.0
/// What is said of repeated measurements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace crivo::experiments {

struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double deviation = 0;   ///< of the sample, with n - 1; 0 of one value
  double half_width = 0;  ///< of the 95 % confidence interval of the mean (Student's t); 0 of one
};
/// Of at least one value.
Summary summary(std::span<const double> values);

/// The least value and the median of times: what a machine that others use too adds to a time is
/// never negative.
struct LeastMedian {
  double least = 0;
  double median = 0;
};
/// Of at least one value.
LeastMedian times_of(std::vector<double> seconds);

/// The p-quantile of Student's distribution with so many degrees of freedom, 1/2 < p < 1.
double student_quantile(double p, double degrees);

/// The p-quantile of the beta distribution of a and b, both above 0, 0 < p < 1.
double beta_quantile(double p, double a, double b);

/// What measurements say of a figure.
enum class Verdict {
  agrees,        ///< it is in their interval, which is narrow: at most a tenth of it to either side
  differs,       ///< it is outside of the interval
  inconclusive,  ///< it is in the interval, but so is much else
  too_few,       ///< there are not enough runs to say
};
/// Fewer runs decide nothing.
inline constexpr std::uint64_t kEnoughRuns = 10;
/// Of a mean's interval and a figure that is known to +-`rounding`. Where so many `comparisons` are
/// made at once, the interval is one that all of them leave by chance in 5 of 100 cases.
Verdict verdict(const Summary& measured, double figure, double rounding,
                std::size_t comparisons = 1);

/// Whether the first of two things is surely the slower one (more), or the faster one (less): by
/// ranks, which a pass that took far too long does not change, at 95 %.
enum class Order { less, inconclusive, more };
/// Of things that took turns: in so many pairs one is the slower that chance has it as often in at
/// most 5 of 100 cases (the sign test).
Order paired_order(std::span<const double> first, std::span<const double> second);
/// Of things that were measured at different times (Mann and Whitney's test, by the normal
/// distribution).
Order order(std::span<const double> first, std::span<const double> second);

/// A part of so many trials that succeeded, and Wilson's 95 % interval of the probability.
struct Proportion {
  std::uint64_t successes = 0;
  std::uint64_t trials = 0;
  double low = 0;
  double high = 1;

  double part() const noexcept {
    return static_cast<double>(successes) / static_cast<double>(trials);
  }
};
Proportion proportion(std::uint64_t successes, std::uint64_t trials);
/// As above; it agrees if the interval is at most half of the probability wide to either side.
Verdict verdict(const Proportion& measured, double probability);

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
