// SPDX-License-Identifier: Apache-2.0
/// BLAKE2b, which minisign signs files by.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

namespace crivo::hashing {

/// BLAKE2b without a key (RFC 7693) of bytes that come piece by piece, about 0.9 GB a second. Our
/// own: the libcrypto of Debian 12 has the length of 64 bytes alone, and minisign's secret keys
/// have a checksum of 32.
class Blake2b {
 public:
  static constexpr std::size_t kMostBytes = 64;
  using Value = std::array<std::byte, kMostBytes>;

  /// For a hash of `bytes` bytes, 1 to 64.
  explicit Blake2b(std::size_t bytes = kMostBytes) noexcept;

  Blake2b& add(base::ByteView piece) noexcept;
  /// The hash of what was added: the first bytes of it. Call once, last.
  Value finish() noexcept;

 private:
  static constexpr std::size_t kBlockBytes = 128;
  void add_block(const std::byte* block, std::size_t bytes, bool is_last) noexcept;

  std::array<std::uint64_t, 8> state_;
  std::uint64_t bytes_ = 0;  ///< in blocks that were added; no message has 2^64
  std::size_t begun_bytes_ = 0;
  std::array<std::byte, kBlockBytes> begun_{};  ///< the block that may be the last
};

}  // namespace crivo::hashing
