// SPDX-License-Identifier: Apache-2.0
/// How long work will still take, from how far it is.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

namespace crivo::cli {

/// Smooths twice: the speed is an exponential average over the later half of the time so far, since
/// the weights of phases are never quite right; and the answer, which otherwise counts down with
/// the clock, goes to what that speed tells within some seconds, and sooner at first.
class TimeLeft {
 public:
  /// Notes that `fraction` (0 to 1) was done `seconds` after the beginning; both ascend.
  void note(double seconds, double fraction) noexcept {
    const double elapsed = seconds - seconds_;
    if (elapsed <= 0) return;
    const double speed = (fraction - fraction_) / elapsed;
    speed_ = fraction_ == 0 && fraction > 0 ? fraction / seconds
                                            : blend(speed_, speed, elapsed, seconds / 2);
    seconds_ = seconds;
    fraction_ = fraction;
    if (speed_ <= 0) return;
    const double told = (1 - fraction) / speed_;
    left_ = left_ ? blend(std::max(*left_ - elapsed, 0.0), told, elapsed,
                          std::min(seconds / 2, kSettle))
                  : told;
  }

  /// Nothing before the first part of the work is done.
  std::optional<double> seconds() const noexcept { return left_; }

 private:
  static constexpr double kSettle = 3;

  /// `before`, moved to `now` as an exponential average with that time constant does.
  static double blend(double before, double now, double elapsed, double constant) noexcept {
    return now + (before - now) * std::exp(-elapsed / constant);
  }

  double seconds_ = 0;
  double fraction_ = 0;
  double speed_ = 0;  ///< of fraction, a second
  std::optional<double> left_;
};

}  // namespace crivo::cli
