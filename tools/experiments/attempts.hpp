// SPDX-License-Identifier: Apache-2.0
/// What is said of counts of attempts: graphs drawn until one is acyclic, functions drawn until one
/// fits. Each count is geometric, so that a mean of few has an interval that Student's t, which
/// looks at how far the counts differ, does not give: of counts that are all 1 it has no width.
#pragma once

#include <cstdint>
#include <span>

#include "experiments/statistics.hpp"

namespace crivo::experiments {

/// Runs that were repeated until each succeeded.
struct Attempts {
  std::uint64_t runs = 0;
  std::uint64_t attempts = 0;  ///< of all runs
  double low = 0;              ///< the exact 95 % interval of the mean that many runs would have
  double high = 0;             ///< (Clopper and Pearson's, of a probability of success 1 / mean)

  double mean() const noexcept { return static_cast<double>(attempts) / static_cast<double>(runs); }
};
/// Of at least one count, each at least 1.
Attempts attempts_of(std::span<const double> counts);

/// Against a mean that is known. Fewer than kEnoughRuns decide nothing; it agrees if the interval
/// of the probability is at most half of the probability wide to either side.
Verdict verdict(const Attempts& measured, double mean);
/// Against the mean of so many other runs, which chance moves too: it differs if runs of one
/// probability are as far apart in at most 5 of 100 cases (the exact test, which takes the attempts
/// of all runs together as given).
Verdict verdict(const Attempts& measured, double mean, std::uint64_t runs);

}  // namespace crivo::experiments
