/// What other tables take of the experiment `linear-probing`.
#pragma once

#include <string_view>
#include <vector>

#include "experiments/named_hashes.hpp"
#include "experiments/results.hpp"

namespace crivo::experiments {

/// The time to search all keys by load factor, the highest first; where it is too long to be
/// measured as it is (Jenkins's hash at 70 %), the load is left out.
struct ProbingTimes {
  std::vector<double> loads;
  std::vector<double> seconds;
};
ProbingTimes probing_times(const Results& results, std::string_view set, const NamedHash& hash);

}  // namespace crivo::experiments
