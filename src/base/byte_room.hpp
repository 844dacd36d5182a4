// SPDX-License-Identifier: Apache-2.0
/// Memory that several threads take of together.
#pragma once

#include <atomic>
#include <cstdint>

namespace crivo::base {

/// So many bytes, for what waits between two steps: a step that gets none does its work later.
class ByteRoom {
 public:
  explicit ByteRoom(std::uint64_t bytes) noexcept : left_(bytes) {}

  /// Whether there were so many left, which are taken then.
  bool take(std::uint64_t bytes) noexcept {
    std::uint64_t left = left_.load(std::memory_order_relaxed);
    do {
      if (bytes > left) return false;
    } while (!left_.compare_exchange_weak(left, left - bytes, std::memory_order_relaxed));
    return true;
  }
  void give_back(std::uint64_t bytes) noexcept {
    left_.fetch_add(bytes, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> left_;
};

}  // namespace crivo::base
