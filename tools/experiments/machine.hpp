// SPDX-License-Identifier: Apache-2.0
/// Where, when and by what a run was measured: what a report must say beside its times.
#pragma once

#include <string>

namespace crivo::experiments {

/// Of the machine that the program runs on.
struct Machine {
  std::string cpu;       ///< the processor's name
  unsigned cores = 0;    ///< that the program may use
  std::string memory;    ///< "23 GiB"
  std::string system;    ///< the kernel
  std::string compiler;  ///< of the program
};
Machine this_machine();

/// How many threads want a core, a mean over the last minute; 0 where it is not told.
double load_average();

/// "2026-11-22 08:50": now, in UTC.
std::string time_of_day();

}  // namespace crivo::experiments
