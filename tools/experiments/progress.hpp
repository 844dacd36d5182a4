/// What the program says on standard error while it measures.
#pragma once

#include <chrono>
#include <string>
#include <thread>

namespace crivo::experiments {

/// One line a step: on a terminal the last one takes the place of those before and tells the time
/// that passes; elsewhere each stands.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine() { end_step(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void begin_step(const std::string& what);
  void end_step();

 private:
  using Clock = std::chrono::steady_clock;

  std::string time_since_start() const;
  void draw_until(const std::stop_token& stop, const std::string& what) const;

  bool quiet_;
  bool terminal_;
  Clock::time_point start_ = Clock::now();
  std::jthread drawer_;
};

}  // namespace crivo::experiments
