// SPDX-License-Identifier: Apache-2.0
/// The experiment `linear-probing`, measured in dissertation_linear_probing.cpp and reported in
/// dissertation_linear_probing_report.cpp.
#pragma once

#include <string>
#include <string_view>

#include "experiments/named_hashes.hpp"
#include "experiments/report.hpp"

namespace crivo::experiments {

/// The step with `keys`, and by load the collisions a key of each run.
std::string collisions_step(std::string_view set, const NamedHash& hash);

void report_linear_probing(const Results& results, Report& report);

}  // namespace crivo::experiments
