/// The clock that the figures are taken from.
#pragma once

#include "bench/clock.hpp"

namespace crivo::experiments {

/// The CPU time of this process, all threads together, since it was made: on a machine that others
/// use too it is steadier than the time of day.
class Stopwatch {
 public:
  double seconds() const noexcept { return (bench::process_cpu_ns() - start_) / 1e9; }

 private:
  double start_ = bench::process_cpu_ns();
};

}  // namespace crivo::experiments
