// SPDX-License-Identifier: Apache-2.0
/// The kernels of a lookup: the sum of the slots that a key's row takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cpu.hpp"
#include "structures/ribbon/layers.hpp"

namespace crivo::ribbon {

/// All kernels of a layout and width give the same values.
struct Kernel {
  /// The value of the key with the hash (hi, lo), which come apart so that they stay in registers,
  /// in `layers`, which are a Layers.
  std::uint64_t (*value)(const void* layers, std::uint64_t hi, std::uint64_t lo) noexcept;
  /// Whether the value of the key with the hash (hi, hi) is its fingerprint of as many bits, 32 at
  /// most. `lo` is not looked at; so whoever knows nothing of filters can hold the pointer.
  bool (*contains)(const void* layers, std::uint64_t hi, std::uint64_t lo) noexcept;
  /// answers[i] = contains(layers, hashes[i].hi, ...), with the cache misses overlapped.
  void (*contains_all)(const Layers& layers, std::span<const Hash128> hashes,
                       bool* answers) noexcept;
  /// The values of rows that were found before, so that their bytes are in the cache by now.
  void (*values)(std::span<const Row> rows, std::uint64_t* values) noexcept;
};

/// Rows that are found, and whose bytes are asked for, before the first of them is looked at.
inline constexpr std::size_t kBatch = 32;

/// Whether a value of `width` bits is a key's fingerprint of as many.
constexpr bool is_fingerprint(std::uint64_t value, std::uint64_t hi, unsigned width) noexcept {
  return ((value ^ detail::fingerprint(hi)) & ((std::uint64_t{1} << width) - 1)) == 0;
}

/// Asks for the lines of the blocks that a row reaches into.
template <Layout kLayout>
[[gnu::always_inline]] inline void prefetch(const Row& row) noexcept {
  const std::uint64_t bytes = 8U * row.width + block_bytes(kLayout, row.width);
  const std::byte* const line = row.block - reinterpret_cast<std::uintptr_t>(row.block) % 64;
  for (const std::byte* at = line; at < row.block + bytes; at += 64) __builtin_prefetch(at);
}

/// The fastest of those that `cpu` can run, for values of that width.
Kernel kernel(Layout layout, Width width, base::Cpu cpu) noexcept;

}  // namespace crivo::ribbon
