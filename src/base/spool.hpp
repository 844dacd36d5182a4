// SPDX-License-Identifier: Apache-2.0
/// Bytes that are kept for later.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "base/temp_file.hpp"

namespace crivo::base {

/// An append-only run of bytes, in memory as far as a scratch allows it and otherwise in a
/// temporary file. One thread at a time appends; any number read afterwards.
class Spool {
 public:
  /// Null: all stays in memory. `scratch` must outlive this.
  explicit Spool(Scratch* scratch) noexcept : scratch_(scratch) {}

  /// Throws Error(io): a full disk above all.
  void append(ByteView bytes);
  std::uint64_t size() const noexcept { return spilled() + held_bytes_; }
  /// Returns how many of `bytes` bytes go to the file if a scratch has so much memory.
  static constexpr std::uint64_t spilled_of(std::uint64_t bytes, std::uint64_t memory) noexcept {
    const std::uint64_t at_once =
        std::max<std::uint64_t>(kBlockBytes, memory / kBlockBytes * kBlockBytes);
    return bytes == 0 ? 0 : (bytes - 1) / at_once * at_once;
  }

  /// Calls use(bytes) for all, in order and as often as is asked, in pieces of a whole number of 64
  /// bytes but for the last. Throws Error(io).
  void for_each(const std::function<void(ByteView)>& use) const;
  /// Reads what stands from `offset` on, all of it within size(). Throws Error(io).
  void read(std::uint64_t offset, std::span<std::byte> to) const;

 private:
  /// A block in memory; all of them but the last are full.
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

  void spill();

  /// The bytes that were spilled, in whole blocks.
  std::uint64_t spilled() const noexcept { return file_ != nullptr ? file_->bytes() : 0; }

  Scratch* scratch_;
  std::unique_ptr<TempFile> file_;
  std::uint64_t held_bytes_ = 0;
  std::vector<Bytes> held_;
};

}  // namespace crivo::base
