// SPDX-License-Identifier: Apache-2.0
/// Work that is done once, by whichever thread comes first.
#pragma once

#include <atomic>
#include <mutex>

namespace crivo::base {

/// std::call_once() for work that may throw: glibc's, which that is made of, ends the process where
/// there is no memory left to load its unwinder for the exception.
class Once {
 public:
  /// Returns when `work` has been done, by this call or another. Where it throws it is not done,
  /// and the next call tries again.
  template <typename Work>
  void call(const Work& work) {
    if (done_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex_);
    if (done_.load(std::memory_order_relaxed)) return;
    work();
    done_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<bool> done_ = false;
  std::mutex mutex_;
};

}  // namespace crivo::base
