// SPDX-License-Identifier: Apache-2.0
#include "experiments/attempts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace crivo::experiments {
namespace {

/// The logarithm of how many ways there are to fail `failures` times in all in so many runs.
double log_ways(double runs, double failures) {
  return std::lgamma(runs + failures) - std::lgamma(runs) - std::lgamma(failures + 1);
}

/// How likely runs of one probability are to be so far apart, or further: the first `runs` have
/// `failures` in all, the other runs have `other_failures`.
double chance(double runs, double failures, double other_runs, double other_failures) {
  const double all = failures + other_failures;
  const double log_all = log_ways(runs + other_runs, all);
  double at_most = 0;
  double at = 0;
  for (double f = 0; f <= failures; ++f) {
    at = std::exp(log_ways(runs, f) + log_ways(other_runs, all - f) - log_all);
    at_most += at;
  }
  return std::min(1.0, 2 * std::min(at_most, 1 - at_most + at));
}

/// Whether the interval of the probability says something of it.
bool is_narrow(const Attempts& measured) {
  const double probability = 1 / measured.mean();
  return (1 / measured.low - 1 / measured.high) / 2 <= probability / 2;
}

Verdict verdict_of(const Attempts& measured, bool differs) {
  if (measured.runs < kEnoughRuns) return Verdict::too_few;
  if (differs) return Verdict::differs;
  return is_narrow(measured) ? Verdict::agrees : Verdict::inconclusive;
}

}  // namespace

Attempts attempts_of(std::span<const double> counts) {
  Attempts all{.runs = counts.size(),
               .attempts = static_cast<std::uint64_t>(
                   std::llround(std::accumulate(counts.begin(), counts.end(), 0.0)))};
  const auto runs = static_cast<double>(all.runs);
  const auto failures = static_cast<double>(all.attempts - all.runs);
  // The last attempt of a run is a success: so many successes in one attempt less, or in all.
  all.low = failures == 0 ? 1 : 1 / beta_quantile(0.975, runs, failures);
  all.high = 1 / beta_quantile(0.025, runs, failures + 1);
  return all;
}

Verdict verdict(const Attempts& measured, double mean) {
  return verdict_of(measured, mean < measured.low || mean > measured.high);
}

Verdict verdict(const Attempts& measured, double mean, std::uint64_t runs) {
  const auto others = static_cast<double>(runs);
  const double failures = std::max(0.0, std::round(mean * others) - others);
  return verdict_of(measured, chance(static_cast<double>(measured.runs),
                                     static_cast<double>(measured.attempts - measured.runs), others,
                                     failures) < 0.05);
}

}  // namespace crivo::experiments
