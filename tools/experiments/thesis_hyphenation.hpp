// SPDX-License-Identifier: Apache-2.0
/// What the measuring of the hyphenation experiment and its report agree on.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "experiments/experiment.hpp"

namespace crivo::experiments {

/// The thesis's values of epsilon: 1 % to 20 %.
inline constexpr unsigned kMostPercent = 20;
/// Filter types: the thesis's two, which all repetitions measure, and today's.
inline constexpr std::array<const char*, 5> kHyphenationFilters{"bloom", "cuckoo", "ribbon", "fuse",
                                                                "split-block-bloom"};
inline constexpr std::size_t kThesisFilters = 2;

inline std::string repetition_id(unsigned repetition) {
  return "repetition/" + std::to_string(repetition);
}

void report_hyphenation(const Results& results, Report& report);

}  // namespace crivo::experiments
