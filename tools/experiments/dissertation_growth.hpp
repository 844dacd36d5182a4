// SPDX-License-Identifier: Apache-2.0
/// The experiment `growth`, measured in dissertation_growth.cpp and reported in
/// dissertation_growth_report.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "experiments/generation.hpp"
#include "experiments/named_hashes.hpp"
#include "experiments/report.hpp"

namespace crivo::experiments {

/// The algorithms of Figures 4.1 and 4.2, and today's.
inline constexpr std::array kGrowthAlgorithms{kNamedAlgorithms[0], kNamedAlgorithms[1],
                                              kNamedAlgorithms[2], kNamedAlgorithms[5]};

/// The step "sizes" has these as its `keys`: each twice the one before.
std::vector<std::uint64_t> growth_sizes(const Results& results);

/// The step with, by algorithm, the fields of generate(), each with its values in some repetitions;
/// further repetitions are in further blocks.
std::string growth_step(const NamedHash& hash, std::uint64_t keys, std::uint64_t block = 0);

void report_growth(const Results& results, Report& report);

}  // namespace crivo::experiments
