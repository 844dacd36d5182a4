// SPDX-License-Identifier: Apache-2.0
/// Where a build keeps, for a while, what it has no memory for.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <utility>

#include "crivo/progress.hpp"

namespace crivo::base {

/// What a structure holds back until the end (keys that are left over, signatures) may be a part of
/// everything that it is built from. Each such thing stays in memory up to memory_bytes(), and goes
/// to a temporary file beyond. Its members may be called from any thread, but for
/// set_memory_bytes().
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

}  // namespace crivo::base
