// SPDX-License-Identifier: Apache-2.0
/// What the fuzz targets share.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "crivo/error.hpp"

namespace crivo::fuzz {

/// The input in memory of its own: at a 64-byte boundary, as in a mapped file, and followed at once
/// by memory that AddressSanitizer guards.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : size_(size) {
    if (posix_memalign(&memory_, 64, size == 0 ? 1 : size) != 0) std::abort();
    if (size != 0) std::memcpy(memory_, data, size);
  }
  explicit Input(std::span<const std::uint8_t> bytes) : Input(bytes.data(), bytes.size()) {}
  explicit Input(base::ByteView bytes)
      : Input(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()) {}
  ~Input() { std::free(memory_); }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  base::ByteView view() const noexcept { return writable(); }
  std::span<std::byte> writable() const noexcept {
    return {static_cast<std::byte*>(memory_), size_};
  }

 private:
  void* memory_ = nullptr;
  std::size_t size_;
};

/// A file in memory, for what reads its input through a descriptor or a path.
class InputFile {
 public:
  InputFile() : file_(::memfd_create("fuzz-input", MFD_CLOEXEC)) {
    if (!file_.is_open()) std::abort();
  }

  /// Makes the input all that the file holds.
  void fill(const std::uint8_t* data, std::size_t size) {
    if (::ftruncate(file_.get(), 0) != 0) std::abort();
    file_.write_at(0, {reinterpret_cast<const std::byte*>(data), size});
  }
  const base::FileDescriptor& descriptor() const noexcept { return file_; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }

 private:
  base::FileDescriptor file_;
};

/// Calls `use`, which may refuse the input as a damaged or foreign file; any other end is a fault.
template <typename Use>
void expect_use_or_refusal(Use&& use) {
  try {
    use();
  } catch (const Error& error) {
    const ErrorKind kind = error.kind();
    if (kind != ErrorKind::corrupt && kind != ErrorKind::too_new && kind != ErrorKind::too_old) {
      std::abort();
    }
  }
}

}  // namespace crivo::fuzz
