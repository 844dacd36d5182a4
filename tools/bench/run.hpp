// SPDX-License-Identifier: Apache-2.0
/// A run: methods times key set, and what came of it.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/key_sets.hpp"
#include "bench/measure.hpp"
#include "bench/methods.hpp"

namespace crivo::bench {

struct RunOptions {
  unsigned threads = 1;              ///< of a build
  unsigned builds = 1;               ///< of each method; the fastest counts
  unsigned rounds = 5;               ///< of each loop; the fastest counts
  std::chrono::seconds limit{3600};  ///< of a step of one method
};

/// A line of the table: every figure is per key, and one that is 0 was not measured.
struct Row {
  std::string name;
  std::string library;
  std::string failure = {};  ///< why there are no figures; or empty
  double bits = 0;
  double fpr = 0;  ///< of a filter, measured over the absent keys
  /// Bits to the least that there can be: log2(1 / fpr), if enough absent keys were false positives
  /// to say; a value's bits.
  double overhead = 0;
  double build_cpu_ns = 0;
  double build_wall_ns = 0;
  double build_from_hashes_cpu_ns = 0;
  double peak_bytes = 0;
  std::array<double, kLoops.size()> loop_ns{};
  /// What became of it at keys outside the set, where all else went well: there are peers that read
  /// beyond their memory then.
  std::string absent_failure = {};

  double ns(Loop loop) const { return loop_ns[static_cast<std::size_t>(loop)]; }
};

/// Builds every method, one at a time, checks that each does its task, and then times the lookups
/// round by round: in a round every method in turn, so that what else the machine does falls on all
/// of them. Before the first build that counts the first method is built once for nothing, since
/// whoever first touches a machine's idle memory pays for it; and each round of builds begins with
/// another method than the last. Absent keys come last, when a crash costs no other figure. `say`
/// is told what was done. Never throws for a method's sake.
std::vector<Row> run(const std::vector<Method>& methods, const Task& task, const KeySets& keys,
                     const RunOptions& options, const std::function<void(const std::string&)>& say);

}  // namespace crivo::bench
