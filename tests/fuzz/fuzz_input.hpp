/// What the fuzz targets share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "crivo/error.hpp"
#include "file/bytes.hpp"

namespace crivo::fuzz {

/// The input in memory of its own: at a 64-byte boundary, as in a mapped file, and followed at once
/// by memory that AddressSanitizer guards.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : size_(size) {
    if (posix_memalign(&memory_, 64, size == 0 ? 1 : size) != 0) std::abort();
    if (size != 0) std::memcpy(memory_, data, size);
  }
  ~Input() { std::free(memory_); }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  file::ByteView view() const noexcept { return {static_cast<const std::byte*>(memory_), size_}; }

 private:
  void* memory_ = nullptr;
  std::size_t size_;
};

/// Calls `use`, which may refuse the input as a damaged or foreign file; any other end is a fault.
template <typename Use>
void expect_use_or_refusal(Use&& use) {
  try {
    use();
  } catch (const Error& error) {
    if (exit_code(error.kind()) != exit_code(ErrorKind::corrupt)) std::abort();
  }
}

}  // namespace crivo::fuzz
