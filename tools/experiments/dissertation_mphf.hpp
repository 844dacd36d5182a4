// SPDX-License-Identifier: Apache-2.0
/// The experiment `mphf`, measured in dissertation_mphf.cpp and reported in
/// dissertation_mphf_report.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "experiments/generation.hpp"
#include "experiments/named_hashes.hpp"
#include "experiments/report.hpp"

namespace crivo::experiments {

inline constexpr std::array kSets{"words", "urls"};
inline constexpr std::array<std::string_view, 2> kMaps{"ribbon", "fuse"};
/// Of the tables of linear probing.
inline constexpr std::array kLoads{0.70, 0.65, 0.60, 0.55, 0.50, 0.45, 0.40, 0.35, 0.30, 0.25};

/// The step of seed 0, whose functions are searched by:
///   keys        of the set
///   functions   by algorithm what generate() says, and `ordered`
///   maps        by algorithm: `bytes`
///   tables      by load: `slots`, `total_collisions`; where there are too many of these for all
///               keys to be searched, `searched` keys that met `met` others in all in
///               `sample_seconds`, for each of some samples
///   race_seconds  what race() says of all of these, a table's name being its load
std::string search_step(std::string_view set, const NamedHash& hash);
/// The step of a later seed: what generate() says.
std::string generation_step(std::string_view set, const NamedHash& hash,
                            const NamedAlgorithm& algorithm, std::uint64_t seed);
/// All repetitions of a generation, that of seed 0 first.
std::vector<Json> generations(const Results& results, std::string_view set, const NamedHash& hash,
                              const NamedAlgorithm& algorithm);
/// The dissertation's algorithms take all hashes, the others XXH3.
bool takes(const NamedAlgorithm& algorithm, const NamedHash& hash) noexcept;

void report_mphf(const Results& results, Report& report);

}  // namespace crivo::experiments
