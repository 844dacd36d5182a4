// SPDX-License-Identifier: Apache-2.0
/// Long loops that count nothing as done while they run.
#pragma once

#include <cstdint>

#include "crivo/progress.hpp"

namespace crivo::base {

/// Called at each step of a loop: throws Error(cancelled) within some ten thousand steps after the
/// call was cancelled. For one thread.
class CancelCheck {
 public:
  /// Null: nobody can cancel.
  explicit CancelCheck(Progress* progress) noexcept : progress_(progress) {}

  void operator()() {
    if (progress_ != nullptr && ++steps_ % kSteps == 0) [[unlikely]]
      progress_->add(0);
  }

 private:
  static constexpr std::uint32_t kSteps = 1 << 14;

  Progress* progress_;
  std::uint32_t steps_ = 0;
};

}  // namespace crivo::base
