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

inline constexpr std::array<std::string_view, 2> kSets{"words", "urls"};
inline constexpr std::array<std::string_view, 2> kMaps{"ribbon", "fuse"};
inline constexpr std::uint64_t kMaxRepetitions = 5;

/// The ids of its steps.
std::string mphf_step(std::string_view set, const NamedHash& hash, const NamedAlgorithm& algorithm,
                      std::uint64_t seed);
std::string map_step(std::string_view set, std::string_view map);

void report_mphf(const Results& results, Report& report);

}  // namespace crivo::experiments
