// SPDX-License-Identifier: Apache-2.0
/// The time that work takes on a machine that others use too, and that memory takes which a process
/// reaches for the first time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>

namespace crivo::base {

/// Measures some work of this process.
class WorkClock {
 public:
  using Clock = std::chrono::steady_clock;

  double seconds() const noexcept {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
  }
  /// The seconds that the processors worked since, on all threads of the process.
  double processor_seconds() const noexcept { return used() - used_before_; }
  /// Returns the time of the work where `threads` (from 1 on; or on average so many) are at work in
  /// it, and nothing else keeps them from it: other processes, or a disk.
  double undisturbed_seconds(double threads) const noexcept {
    return std::min(seconds(), processor_seconds() / threads);
  }

 private:
  static double used() noexcept {
    std::timespec time{};
    if (::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) != 0) return 0;
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  Clock::time_point begin_ = Clock::now();
  double used_before_ = used();
};

/// How many bytes this process has been given so far, as it first reached them.
std::uint64_t fresh_bytes() noexcept;

/// The processor's seconds that a byte of them takes here, in pages of the usual size; 0 where that
/// cannot be measured. Takes a millisecond itself.
double seconds_per_fresh_byte() noexcept;

}  // namespace crivo::base
