// SPDX-License-Identifier: Apache-2.0
/// What the program says on standard error while it measures.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <thread>

namespace crivo::experiments {

/// One line a step: on a terminal the last one takes the place of those before and tells the time
/// that passes; elsewhere, and where several steps are at work at once, each stands. For any number
/// of threads.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet, bool several = false);
  ~ProgressLine() { end_step(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void begin_step(const std::string& what);
  void end_step();

 private:
  using Clock = std::chrono::steady_clock;

  std::string time_since_start() const;
  void draw_until(const std::stop_token& stop, const std::string& what) const;

  void erase();

  std::mutex mutex_;
  bool quiet_;
  bool terminal_;
  Clock::time_point start_ = Clock::now();
  std::jthread drawer_;
};

}  // namespace crivo::experiments
