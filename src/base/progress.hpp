// SPDX-License-Identifier: Apache-2.0
/// The context that every builder gets beside its input: progress, threads, and room for what is
/// held back.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "crivo/progress.hpp"

namespace crivo::base {

using crivo::Progress;

/// Room for what a structure holds back until the end (keys that are left over, signatures), which
/// may be a part of everything that it is built from. Each such thing stays in memory up to
/// memory_bytes(), and goes to a temporary file beyond. Its members may be called from any thread,
/// but for set_memory_bytes().
class Scratch {
 public:
  /// Temporary files are in `directory`, and told to `progress`, which must outlive this.
  Scratch(std::filesystem::path directory, std::uint64_t memory_bytes, Progress& progress)
      : directory_(std::move(directory)), memory_bytes_(memory_bytes), progress_(progress) {}

  const std::filesystem::path& directory() const noexcept { return directory_; }
  std::uint64_t memory_bytes() const noexcept { return memory_bytes_; }
  /// Before anything is held back.
  void set_memory_bytes(std::uint64_t bytes) noexcept { memory_bytes_ = bytes; }

  /// Told of what went to temporary files.
  void note_spilled(std::uint64_t bytes) noexcept {
    temp_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    progress_.add_spilled(bytes);
  }
  /// All of that.
  std::uint64_t temp_bytes() const noexcept { return temp_bytes_.load(std::memory_order_relaxed); }

 private:
  std::filesystem::path directory_;
  std::uint64_t memory_bytes_;
  Progress& progress_;
  std::atomic<std::uint64_t> temp_bytes_{0};
};

struct BuildContext {
  unsigned threads = 1;
  Progress& progress;
  /// For what is held back until the end; null: all of it stays in memory.
  Scratch* scratch = nullptr;
};

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
