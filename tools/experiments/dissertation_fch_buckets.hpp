// SPDX-License-Identifier: Apache-2.0
/// The experiment `fch-buckets`, measured in dissertation_fch_buckets.cpp and reported in
/// dissertation_fch_buckets_report.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/named_hashes.hpp"
#include "experiments/report.hpp"

namespace crivo::experiments {

/// The step "sizes" has these as its `keys`, ascending: Figure 4.4's, and the whole set.
std::vector<std::uint64_t> bucket_sizes(const Results& results);

/// The step with `runs`: of each, by size, how many buckets have 0, 1, 2, ... keys.
std::string buckets_step(const NamedHash& hash);

void report_fch_buckets(const Results& results, Report& report);

}  // namespace crivo::experiments
