// SPDX-License-Identifier: Apache-2.0
#include "program/progress_line.hpp"

#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <mutex>
#include <optional>
#include <string_view>

#include "program/progress_bar.hpp"
#include "program/time_left.hpp"

namespace crivo::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPatience{1000};
constexpr milliseconds kDrawInterval{250};
constexpr milliseconds kPrintInterval{5000};

/// Whether what is written to standard error can be wiped and drawn again.
bool can_redraw() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && terminal != nullptr && *terminal != '\0' &&
         std::string_view(terminal) != "dumb";
}

/// Whether keys are typed, or answers read, on a terminal: a line would be drawn over them.
bool is_shared(const std::vector<std::string>& inputs, Meanwhile written) {
  const bool typed = ::isatty(STDIN_FILENO) == 1 && std::ranges::find(inputs, "-") != inputs.end();
  return typed || (written == Meanwhile::answers && ::isatty(STDOUT_FILENO) == 1);
}

std::size_t terminal_columns() {
  winsize size{};
  constexpr std::size_t kUsual = 80;
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : kUsual;
}

template <typename... Values>
std::string printed(const char* pattern, Values... values) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), pattern, values...);
  return text.data();
}

std::string amount_text(double amount, Progress::Unit unit) {
  if (unit == Progress::Unit::bytes) return human_bytes(amount);
  if (amount >= 1e9) return printed("%.2f G keys", amount / 1e9);
  if (amount >= 1e6) return printed("%.2f M keys", amount / 1e6);
  if (amount >= 1e3) return printed("%.1f k keys", amount / 1e3);
  return printed("%.0f keys", amount);
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 100) return printed("%ld s", whole);
  if (whole < 3600) return printed("%ld min %02ld s", whole / 60, whole % 60);
  return printed("%ld h %02ld min", whole / 3600, whole / 60 % 60);
}

/// Whether colours are wanted: https://no-color.org.
bool has_colour() {
  const char* none = std::getenv("NO_COLOR");
  return none == nullptr || *none == '\0';
}

/// How far the work is, if that is known, and in words "hash, 143.10 MB/s, 8 s left, 2.10 GB
/// spilled"; before the size is known "hash, 1.43 GB, 143.10 MB/s".
struct State {
  std::optional<double> fraction;
  std::string text;
};

State state_of(const Progress& progress, const TimeLeft& left) {
  const std::optional<double> fraction = progress.fraction();
  const auto done = static_cast<double>(progress.done());
  const Progress::Unit unit = progress.unit();
  std::string text(progress.phase());
  if (!fraction) text += ", " + amount_text(done, unit);
  const double seconds = progress.seconds();
  if (done > 0 && seconds > 0) text += ", " + amount_text(done / seconds, unit) + "/s";
  const std::optional<double> seconds_left = left.seconds();
  if (fraction && seconds_left) text += ", " + duration_text(*seconds_left) + " left";
  if (const std::uint64_t spilled = progress.spilled(); spilled != 0) {
    text += ", " + human_bytes(static_cast<double>(spilled)) + " spilled";
  }
  return {fraction, text};
}

/// Calls show(state) at intervals, from the first second on, until it is to stop.
template <typename Show>
void show_until(const std::stop_token& stop, const Progress& progress, milliseconds interval,
                Show&& show) {
  const Clock::time_point begin = Clock::now();
  TimeLeft left;
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  milliseconds next = kPatience;
  while (true) {
    // The speed is noted at short intervals, whatever those of the lines.
    if (wake.wait_for(lock, stop, kDrawInterval, [&] { return stop.stop_requested(); })) return;
    const auto elapsed = Clock::now() - begin;
    if (const auto fraction = progress.fraction()) {
      left.note(std::chrono::duration<double>(elapsed).count(), *fraction);
    }
    if (elapsed < next) continue;
    next = std::chrono::duration_cast<milliseconds>(elapsed) + interval;
    show(state_of(progress, left));
  }
}

/// Signals are for the working thread.
void leave_signals_to_others() noexcept {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

ProgressLine::ProgressLine(const Progress& progress, const ReportOptions& options,
                           const std::vector<std::string>& inputs, Meanwhile written)
    : progress_(progress) {
  const bool draws = can_redraw();
  const bool wanted = options.progress == "always" ||
                      (options.progress == "auto" && draws && !is_shared(inputs, written));
  if (!wanted || options.quiet) return;
  try {
    thread_ = std::jthread([this, draws](const std::stop_token& stop) {
      leave_signals_to_others();
      try {
        draws ? draw_until(stop) : print_until(stop);
      } catch (const std::exception&) {  // no memory: as without a thread
      }
    });
  } catch (const std::exception&) {  // no thread to be had: the work goes on without the line
  }
}

ProgressLine::~ProgressLine() = default;

void ProgressLine::draw_until(const std::stop_token& stop) {
  constexpr const char* kWipe = "\r\x1b[K";
  const bool colour = has_colour();
  bool drawn = false;
  // Short enough that the next lines come with the notes of the speed.
  show_until(stop, progress_, milliseconds(0), [&](const State& state) {
    const std::size_t columns = terminal_columns() - 1;  // a full line would wrap
    std::cerr << kWipe + (state.fraction
                              ? progress_bar(*state.fraction, state.text, columns, colour)
                              : state.text.substr(0, columns))
              << std::flush;
    drawn = true;
  });
  if (drawn) std::cerr << kWipe << std::flush;
}

void ProgressLine::print_until(const std::stop_token& stop) {
  show_until(stop, progress_, kPrintInterval, [](const State& state) {
    const std::string percent =
        state.fraction ? printed("%.0f%% ", std::floor(100 * *state.fraction)) : "";
    std::cerr << "crivo: " + percent + state.text + "\n" << std::flush;
  });
}

}  // namespace crivo::cli
