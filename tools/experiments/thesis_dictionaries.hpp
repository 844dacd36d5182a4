// SPDX-License-Identifier: Apache-2.0
/// The experiment `dictionaries`, measured in thesis_dictionaries.cpp and reported in
/// thesis_dictionaries_report.cpp.
#pragma once

#include <array>
#include <string>

#include "experiments/dictionaries/cuckoo_table.hpp"
#include "experiments/report.hpp"

namespace crivo::experiments {

inline constexpr double kFpr = 1.0 / 256;  ///< of what errs
inline constexpr std::array kProbingLoads{0.5, 0.7, 0.9};
inline constexpr double kChainedLoad = 1;
inline constexpr std::array<CuckooShape, 2> kCuckooShapes{
    {{.bucket_entries = 1, .load = 0.48}, {.bucket_entries = 4, .load = 0.95}}};
inline constexpr std::array kDictionaryFilters{"hash-compaction", "cuckoo", "ribbon"};

/// Steps are of a set, "words/" or "urls/", and then of one of these, "chained", "hash compaction"
/// or "perfect". Their fields:
///   build_seconds, bytes_per_key
///   present_seconds, absent_seconds        a key, of each pass
///   present_found, present_collisions      of keys of the set,
///   absent_found, absent_collisions        and of others
///   moves, load                            of cuckoo hash tables
/// And of "keys": `keys`, `absent`, `text_bytes`, and the `bits` of hash compaction.
std::string dictionary_id(double load);
std::string dictionary_id(const CuckooShape& shape);
std::string dictionary_id(const char* filter);

void report_dictionaries(const Results& results, Report& report);

}  // namespace crivo::experiments
