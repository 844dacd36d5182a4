// SPDX-License-Identifier: Apache-2.0
/// Large pieces of memory, in huge pages where the system has them.
#pragma once

#include <cstddef>
#include <utility>

namespace crivo::stream {

/// Memory that is all zero when it is mapped, and is given back to the system when this dies.
class HugeMemory {
 public:
  HugeMemory() = default;
  /// Throws Error(io) if the system refuses so many bytes; 0 are none.
  explicit HugeMemory(std::size_t bytes);
  ~HugeMemory();
  HugeMemory(HugeMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  HugeMemory& operator=(HugeMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  HugeMemory(const HugeMemory&) = delete;
  HugeMemory& operator=(const HugeMemory&) = delete;

  std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace crivo::stream
