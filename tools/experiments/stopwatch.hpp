// SPDX-License-Identifier: Apache-2.0
/// The clock that the figures are taken from.
#pragma once

#include <ctime>

namespace crivo::experiments {

/// The CPU time of the thread that made it, since then: what is timed has one thread, and on a
/// machine that others use too, this program's other experiments among them, that is steadier than
/// the time of day.
class Stopwatch {
 public:
  double seconds() const noexcept { return now() - start_; }

 private:
  static double now() noexcept {
    std::timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  }

  double start_ = now();
};

}  // namespace crivo::experiments
