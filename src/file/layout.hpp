/// The fixed numbers of the container's layout (formats/crivo-1.md), shared by its writer and
/// reader.
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.hpp"

namespace crivo::file::layout {

/// A non-ASCII byte shows a transfer that keeps 7 bits, the line endings one that rewrites them.
inline constexpr std::array<std::uint8_t, 8> kMagic{0xc3, 'C', 'R', 'V', '\r', '\n', 0x1a, '\n'};
inline constexpr std::uint64_t kHeaderBytes = 128;
inline constexpr std::uint64_t kEntryBytes = 48;
inline constexpr std::uint64_t kFooterBytes = 24;
inline constexpr std::uint64_t kAlignment = 64;

inline base::ByteView magic() noexcept {
  return std::as_bytes(std::span(kMagic));
}

inline std::array<std::byte, 8> inverted_magic() noexcept {
  std::array<std::byte, 8> inverted{};
  for (std::size_t i = 0; i < kMagic.size(); ++i) inverted[i] = ~std::byte{kMagic[i]};
  return inverted;
}

}  // namespace crivo::file::layout
