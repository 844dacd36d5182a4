// SPDX-License-Identifier: Apache-2.0
/// The clocks that the figures are taken from.
#pragma once

#include <chrono>
#include <ctime>

namespace crivo::bench {

/// The CPU time of this process, all threads together, in ns. On a machine that others use too it
/// is steadier than the time of day.
inline double process_cpu_ns() noexcept {
  std::timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

/// Time as it passes, in ns.
inline double wall_ns() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::nano>(now).count();
}

}  // namespace crivo::bench
