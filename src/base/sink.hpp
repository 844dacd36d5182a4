// SPDX-License-Identifier: Apache-2.0
/// Where a structure's builder writes the bytes of its section.
#pragma once

#include <array>
#include <cstdint>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"

namespace crivo::base {

/// An append-only run of bytes: a section of a file that is being written, or a buffer in memory.
/// The first byte appended is at a 64-byte boundary of the file.
class Sink {
 public:
  virtual ~Sink() = default;

  /// Appends; throws Error(io) if that fails.
  virtual void append(ByteView bytes) = 0;
  /// The number of bytes appended so far.
  virtual std::uint64_t size() const noexcept = 0;

  /// Appends zero bytes up to the next multiple of `unit` (a power of two, at most 4096).
  void align(std::uint64_t unit);
};

/// A sink in memory.
class MemorySink final : public Sink {
 public:
  void append(ByteView bytes) override { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  std::uint64_t size() const noexcept override { return bytes_.size(); }

  ByteView view() const noexcept { return bytes_; }
  Bytes take() noexcept { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

inline void Sink::align(std::uint64_t unit) {
  static constexpr std::array<std::byte, 4096> kZeros{};
  append(ByteView(kZeros).first(base::align_up(size(), unit) - size()));
}

}  // namespace crivo::base
