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
  /// The value of the key with the hash (hi, lo), which come apart so that they stay in registers.
  std::uint64_t (*value)(const Layers& layers, std::uint64_t hi, std::uint64_t lo) noexcept;
  /// Whether its value is its fingerprint of as many bits.
  bool (*contains)(const Layers& layers, std::uint64_t hi, std::uint64_t lo) noexcept;
  /// The values of rows that were found before, so that their bytes are in the cache by now.
  void (*values)(std::span<const Row> rows, unsigned width, std::uint64_t* values) noexcept;
};

/// The fastest of those that `cpu` can run, for values of `width` (1 to 64) bits.
Kernel kernel(Layout layout, unsigned width, base::Cpu cpu) noexcept;

}  // namespace crivo::ribbon
