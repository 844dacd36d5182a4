/// How far a long call is.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace crivo {

/// A phase's name and a count of the work done in it: written by the working threads, read by
/// whoever draws it. All members may be called from any thread.
class Progress {
 public:
  enum class Unit { keys, bytes };

  /// Starts a phase of `total` units (0: not known). `phase` must be a string literal.
  void begin(const char* phase, std::uint64_t total, Unit unit = Unit::keys) noexcept {
    done_.store(0, std::memory_order_relaxed);
    total_.store(total, std::memory_order_relaxed);
    unit_.store(unit, std::memory_order_relaxed);
    begin_.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
    phase_.store(phase, std::memory_order_release);
  }
  /// Counts `units` more as done; call it per partition or block, not per key.
  void add(std::uint64_t units) noexcept { done_.fetch_add(units, std::memory_order_relaxed); }

  const char* phase() const noexcept { return phase_.load(std::memory_order_acquire); }
  std::uint64_t done() const noexcept { return done_.load(std::memory_order_relaxed); }
  std::uint64_t total() const noexcept { return total_.load(std::memory_order_relaxed); }
  Unit unit() const noexcept { return unit_.load(std::memory_order_relaxed); }
  /// The seconds since the phase began.
  double seconds() const noexcept {
    const Clock::duration begin(begin_.load(std::memory_order_relaxed));
    return std::chrono::duration<double>(Clock::now().time_since_epoch() - begin).count();
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::atomic<const char*> phase_{""};
  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::uint64_t> total_{0};
  std::atomic<Unit> unit_{Unit::keys};
  std::atomic<Clock::rep> begin_{0};
};

}  // namespace crivo
