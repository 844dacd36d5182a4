// SPDX-License-Identifier: Apache-2.0
/// Resources of a long call, and whom it tells how far it is.
///
///     crivo::Progress progress;  // another thread reads it, or cancels the call
///     crivo::verify("urls.crv", {.threads = 2, .progress = &progress});
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "crivo/detail/export.hpp"

namespace crivo {

/// How far a call is, as a whole and in the phase at hand: written by the working threads, read by
/// whoever draws it. All members may be called from any thread; one object is for one call.
class Progress {
 public:
  enum class Unit { keys, bytes };

  /// Names a phase of the work ahead, and how long it takes against the others, in any unit of
  /// time.
  struct Phase {
    const char* name;  ///< outlives the Progress
    double weight;     ///< above 0
  };
  static constexpr std::size_t kMaxPhases = 12;

  /// Says of what phases the whole work consists, in order; at most kMaxPhases. Without this each
  /// phase is a whole by itself.
  void plan(std::span<const Phase> phases) noexcept {
    const std::scoped_lock lock(mutex_);
    planned_ = std::min(phases.size(), kMaxPhases);
    std::copy_n(phases.begin(), planned_, plan_.begin());
    at_ = 0;
    reached_ = base_ = share_ = 0;
    known_ = false;
  }
  /// Starts a phase of `total` units (0: not known). `phase` outlives this object. Phases of the
  /// plan that were not begun are passed over; one that is not planned, or comes again after later
  /// ones, leaves the whole where it is.
  void begin(const char* phase, std::uint64_t total, Unit unit = Unit::keys) noexcept {
    const std::scoped_lock lock(mutex_);
    base_ = reached();
    share_ = 0;
    if (planned_ == 0) {
      reached_ = base_ = 0;
      share_ = 1;
      known_ = total != 0;
    } else if (const std::size_t next = find(phase); next < planned_) {
      const double rest = weight_from(next);
      if (!known_) base_ = reached_ = 1 - rest / weight_from(0);
      share_ = (1 - base_) * plan_[next].weight / rest;
      at_ = next;
      known_ = known_ || total != 0 || next != 0;
    }
    done_.store(0, std::memory_order_relaxed);
    total_.store(total, std::memory_order_relaxed);
    unit_.store(unit, std::memory_order_relaxed);
    begin_.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
    phase_.store(phase, std::memory_order_release);
  }
  /// Counts bytes that did not fit the memory and went to temporary files.
  void add_spilled(std::uint64_t bytes) noexcept {
    spilled_.fetch_add(bytes, std::memory_order_relaxed);
  }
  /// Counts `units` more as done; call it per partition or block, not per key. Throws
  /// Error(cancelled) after cancel().
  void add(std::uint64_t units) {
    done_.fetch_add(units, std::memory_order_relaxed);
    if (cancelled_.load(std::memory_order_relaxed)) [[unlikely]]
      fail_cancelled();
  }
  /// Says that nothing is left to do.
  void finish() noexcept {
    const std::scoped_lock lock(mutex_);
    reached_ = base_ = 1;
    share_ = 0;
    known_ = true;
  }

  /// Returns the part of the whole work that is done, from 0 to 1, never less than it said before;
  /// nothing while the input's size is not known.
  std::optional<double> fraction() const noexcept {
    const std::scoped_lock lock(mutex_);
    if (!known_) return std::nullopt;
    return reached();
  }

  /// Has settle() call `ask`, on a thread of the call: at the last moment at which cancel() counts.
  /// Before the call begins.
  void set_last_question(std::function<void()> ask) { ask_ = std::move(ask); }
  /// Says that all that is left is to put the output in its place. Throws Error(cancelled) after
  /// cancel(); one that comes later has no effect.
  void settle() {
    finish();
    if (ask_) ask_();
    add(0);
  }

  /// Has the call end soon with Error(cancelled), as one that fails does: it leaves nothing behind.
  /// A call whose output is about to be in its place is done all the same.
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }

  const char* phase() const noexcept { return phase_.load(std::memory_order_acquire); }
  std::uint64_t done() const noexcept { return done_.load(std::memory_order_relaxed); }
  std::uint64_t total() const noexcept { return total_.load(std::memory_order_relaxed); }
  /// Bytes written to temporary files so far, in all phases.
  std::uint64_t spilled() const noexcept { return spilled_.load(std::memory_order_relaxed); }
  Unit unit() const noexcept { return unit_.load(std::memory_order_relaxed); }
  /// Returns the seconds since the phase began.
  double seconds() const noexcept {
    const Clock::duration begin(begin_.load(std::memory_order_relaxed));
    return std::chrono::duration<double>(Clock::now().time_since_epoch() - begin).count();
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[noreturn]] CRIVO_API static void fail_cancelled();

  // All of these are called with the lock held.
  double reached() const noexcept {
    const auto total = static_cast<double>(this->total());
    const double part = total > 0 ? std::min(static_cast<double>(done()) / total, 1.0) : 0;
    return reached_ = std::max(reached_, base_ + share_ * part);
  }
  /// Returns the planned phase of this name, from the one at hand on.
  std::size_t find(const char* phase) const noexcept {
    std::size_t i = at_;
    while (i < planned_ && std::string_view(plan_[i].name) != phase) ++i;
    return i;
  }
  double weight_from(std::size_t first) const noexcept {
    double sum = 0;
    for (std::size_t i = first; i < planned_; ++i) sum += plan_[i].weight;
    return sum;
  }

  std::atomic<const char*> phase_{""};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::uint64_t> total_{0};
  std::atomic<std::uint64_t> spilled_{0};
  std::atomic<Unit> unit_{Unit::keys};
  std::atomic<Clock::rep> begin_{0};
  std::atomic<bool> cancelled_{false};
  std::function<void()> ask_{};

  mutable std::mutex mutex_;  ///< over what follows
  std::array<Phase, kMaxPhases> plan_{};
  std::size_t planned_ = 0;
  std::size_t at_ = 0;          ///< the planned phase at hand
  double base_ = 0;             ///< the fraction where the phase at hand began
  double share_ = 0;            ///< and what it adds
  bool known_ = false;          ///< whether there is a fraction to tell
  mutable double reached_ = 0;  ///< the highest fraction so far
};

/// Says what a long call may take, and whom it tells how far it is.
struct Resources {
  unsigned threads = 0;  ///< 0: one per core. What is written does not depend on it.
  /// The most memory to take, in bytes, give or take 64 MiB and four times the largest record; what
  /// does not fit goes to temp_dir. 0: three quarters of what the machine and its limits leave. The
  /// bytes written do not depend on it. For builds alone.
  std::uint64_t memory = 0;
  std::filesystem::path temp_dir{};  ///< empty: $TMPDIR, or /tmp
  Progress* progress = nullptr;      ///< told how far the call is; may cancel it
};

}  // namespace crivo
