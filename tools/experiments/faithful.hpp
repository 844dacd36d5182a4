// SPDX-License-Identifier: Apache-2.0
/// The experiment `faithful`, measured in faithful.cpp and reported in faithful_report.cpp: graphs
/// of functions that are drawn anew for each, as the dissertation's program draws them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "experiments/report.hpp"

namespace crivo::experiments {

/// The functions that graphs are made of: the document's, and Crivo's way with its hu, and XXH3:
/// one 128-bit hash under a new seed for each graph, of which the vertices are words.
/// "hz64-letter" has its self-loops avoided by the document's formula to the letter, with h2 below
/// |V|; in all others h2 is below |V| - 1, as it has to be.
inline constexpr std::array<std::string_view, 8> kFaithfulFunctions{
    "hu64", "hu32", "hz64", "hz32", "hj", "hz64-letter", "crivo-hu", "xxh3"};

/// The keys: generated or own words and URLs, Debian's words, and the words' hashes as keys, which
/// have no structure.
inline constexpr std::array kFaithfulKeys{"words", "urls", "debian", "unstructured"};

/// The step of so many of these keys, with this function and r. Its fields:
///   acyclic            for each graph whether it is
///   hashing_seconds, graph_seconds   of each
///   products, sums     of the first graph's first function: what overflowed
std::string faithful_step(std::string_view keys, std::uint64_t count, std::string_view function,
                          unsigned arity);
/// The step with `sizes`, and of which of the keys there are how many: `debian` is 0 where there is
/// no such list.
inline constexpr const char* kFaithfulSizes = "sizes";

void report_faithful(const Results& results, Report& report);

}  // namespace crivo::experiments
