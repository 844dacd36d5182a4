// SPDX-License-Identifier: Apache-2.0
/// The cost of building a structure, as measured: for plans, progress bars and memory budgets.
#pragma once

#include <array>
#include <cstdint>

namespace crivo {

/// Throws Error(bad_input) if a structure of n keys takes more than 5/4 of what it takes of random
/// ones. Those of few keys may: what that costs is little, and their sizes vary by chance.
void check_growth(std::uint64_t n, double bytes, double usual_bytes);

/// The cost of a phase, a key. Names are those that the builders give to Progress::begin().
struct PhaseCost {
  const char* name = nullptr;
  double nanoseconds = 0;  ///< of one thread
  bool parallel = true;    ///< shared by all threads
};

/// The cost of the structure after its keys were read and hashed: 10^7 integers and URLs, a Xeon of
/// 2.1 GHz. Times vary by some 30 % with the machine and the number of keys, which a bar can bear.
struct BuildCost {
  std::array<PhaseCost, 2> phases{};       ///< the second may have no name
  std::array<double, 3> efforts{1, 1, 1};  ///< what an effort makes of the first one's time
  double held_bytes = 0;    ///< of memory a key, beside the hashes; not what its scratch may spill
  double thread_bytes = 0;  ///< of memory a thread, with what it leases, where memory is ample
  double whole_part_bytes = 0;  ///< beside them, where a part takes all of its keys at once
  bool whole_set = false;       ///< it wants all hashes in memory at once, and sorted
};

}  // namespace crivo
