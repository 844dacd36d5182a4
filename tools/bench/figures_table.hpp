// SPDX-License-Identifier: Apache-2.0
/// A run's result as text for people and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/run.hpp"
#include "bench/task.hpp"
#include "report/table.hpp"

namespace crivo::bench {

/// What the figures are about.
struct Circumstances {
  Kind structure = Kind::mphf;
  double fpr = 0;           ///< asked of filters
  unsigned value_bits = 0;  ///< of maps
  std::string kind;         ///< of keys
  std::uint64_t keys = 0;
  std::uint64_t seed = 0;
  double key_bytes = 0;              ///< on average
  std::uint64_t lookups = 0;         ///< of keys of the set
  std::uint64_t absent_lookups = 0;  ///< of others
  RunOptions options;
  std::string cpu;        ///< its name
  std::string date;       ///< of the run
  std::string crivo_cpu;  ///< the environment variable that limits Crivo's kernels, or empty
  std::string baseline;   ///< the method that ratios are to, or empty
};

/// What was measured, how, where and when, in one line without its end.
std::string circumstances_line(const Circumstances& about);

/// The figures under a line about the circumstances (but CSV, which has figures alone). With a
/// baseline, the ratio of each method's figures to its (below 1: less space or time). Text is at
/// most `width` letters wide, the line above apart.
std::string table(const Circumstances& about, const std::vector<Row>& rows, report::TableForm form,
                  std::size_t width);

/// One object; figures per key, absent where they were not measured.
nlohmann::ordered_json to_json(const Circumstances& about, const std::vector<Row>& rows);

}  // namespace crivo::bench
