// SPDX-License-Identifier: Apache-2.0
#include "experiments/progress.hpp"

#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <iostream>
#include <mutex>

namespace crivo::experiments {

ProgressLine::ProgressLine(bool quiet, bool several)
    : quiet_(quiet), terminal_(!several && ::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::begin_step(const std::string& what) {
  const std::scoped_lock lock(mutex_);
  erase();
  if (quiet_) return;
  if (!terminal_) {
    std::cerr << "crivo-experiments: " + time_since_start() + " " + what + "\n" << std::flush;
    return;
  }
  drawer_ = std::jthread([this, what](const std::stop_token& stop) { draw_until(stop, what); });
}

void ProgressLine::end_step() {
  const std::scoped_lock lock(mutex_);
  erase();
}

void ProgressLine::erase() {
  if (!drawer_.joinable()) return;
  drawer_.request_stop();
  drawer_.join();
  std::cerr << "\r\x1b[K" << std::flush;
}

std::string ProgressLine::time_since_start() const {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start_).count();
  char text[32];
  std::snprintf(text, sizeof text, "[%lld:%02lld]", static_cast<long long>(seconds / 60),
                static_cast<long long>(seconds % 60));
  return text;
}

void ProgressLine::draw_until(const std::stop_token& stop, const std::string& what) const {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  do {
    std::cerr << "\r\x1b[K" + time_since_start() + " " + what << std::flush;
  } while (
      !wake.wait_for(lock, stop, std::chrono::seconds(1), [&] { return stop.stop_requested(); }));
}

}  // namespace crivo::experiments
