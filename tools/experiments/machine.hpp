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

/// Seconds since some moment: as time passes, of CPU time that this program took, and of CPU time
/// that the whole machine was busy, other virtual machines on it included.
struct CpuClock {
  double wall = 0;
  double own = 0;
  double all = 0;
};
/// Now. Where the system does not tell of the machine, `all` is `own`.
CpuClock cpu_clock();

/// What a measurement took.
struct Taken {
  double seconds = 0;      ///< as time passed
  double cpu_seconds = 0;  ///< of this program
  double load = 0;         ///< 1, for this program, and the cores that others kept busy
};
Taken taken_between(const CpuClock& begin, const CpuClock& end) noexcept;

/// A time that was measured under a higher load is not to be kept.
inline constexpr double kMostLoad = 1.5;

/// "2026-11-22 08:50": now, in UTC.
std::string time_of_day();

}  // namespace crivo::experiments
