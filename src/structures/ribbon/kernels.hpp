// SPDX-License-Identifier: Apache-2.0
/// The kernels of a lookup: the sum of the slots that a key's row takes, and the parities of many
/// words at once, in portable code: without a population-count instruction, one word costs about as
/// much as eight.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/cpu.hpp"
#include "crivo/detail/exact_lookup.hpp"
#include "crivo/detail/filter_lookup.hpp"
#include "hashing/hash128.hpp"
#include "structures/ribbon/header.hpp"
#include "structures/ribbon/rows.hpp"

namespace crivo::ribbon {

/// Lookups in a section of either form. All kernels of a form and width give the same answers.
struct Kernel {
  /// The value of the key with the hash (hi, lo), which come apart so that they stay in registers.
  /// `rows` is a Layers, LongLayers or SmallSet, as the kernel was asked for.
  std::uint64_t (*value)(const void* rows, std::uint64_t hi, std::uint64_t lo) noexcept;
  /// values[i] = value(rows, hashes[i]), with the cache misses overlapped but where blocks are of
  /// two widths, as in filters alone.
  void (*values)(const void* rows, std::span<const Hash128> hashes, std::uint64_t* values) noexcept;
  /// Whether the value of the key with the hash (hi, hi) is its fingerprint of as many bits. `lo`
  /// is not looked at; so whoever knows nothing of filters can hold the pointer. May be null for
  /// values of more than 32 bits, as the next may.
  bool (*contains)(const void* rows, std::uint64_t hi, std::uint64_t lo) noexcept;
  /// answers[i] = contains(rows, hashes[i].hi, ...), with the cache misses overlapped.
  void (*contains_all)(const void* rows, std::span<const Hash128> hashes, bool* answers) noexcept;
  /// values[i] is that of rows[i], which was found before. Null for long rows.
  void (*row_values)(std::span<const Row> rows, std::uint64_t* values) noexcept = nullptr;
  /// The value, 0 or 1, of keys whose hashes begin with `hi`, or of some 3 of 100 kWholeHash. Null
  /// but for long rows.
  std::uint8_t (*bit)(const void* rows, std::uint64_t hi) noexcept = nullptr;
  /// bits[i] = bit(rows, hashes[i].hi), or any number above kWholeHash for that, with the cache
  /// misses overlapped.
  void (*bits)(const void* rows, std::span<const Hash128> hashes,
               std::uint8_t* bits) noexcept = nullptr;
};

using detail::kWholeHash;

/// The forms of a section's rows.
enum class Form : std::uint8_t {
  layers,       ///< a Layers
  long_layers,  ///< a LongLayers: of one bit, known by whole hashes
  small_set,    ///< a SmallSet
};

/// Whether a value of `width` bits is a key's fingerprint of as many.
constexpr bool is_fingerprint(std::uint64_t value, std::uint64_t hi, unsigned width) noexcept {
  return ((value ^ detail::fingerprint(hi)) & ((std::uint64_t{1} << width) - 1)) == 0;
}

/// The fastest of those that `cpu` can run, for values of that width.
Kernel kernel(Form form, Width width, base::Cpu cpu) noexcept;

/// For processors with base::Cpu::avx2. Only where the target is x86-64.
Kernel avx2_kernel(Form form, Width width) noexcept;

/// Bit j of the result is the parity of byte j.
inline std::uint64_t byte_parities(std::uint64_t bytes) noexcept {
  bytes ^= bytes >> 4;
  bytes ^= bytes >> 2;
  bytes ^= bytes >> 1;
  // Gathers bit 8j of the bytes into bit 56 + j.
  return ((bytes & 0x0101010101010101U) * 0x0102040810204080U) >> 56;
}

/// Bit j of the result is the parity of words[j]. Each step folds two words into the halves of one,
/// so that the words' parities end up side by side in the bytes of the last.
inline std::uint64_t parities(const std::uint64_t (&words)[8]) noexcept {
  const auto fold = [](std::uint64_t a, std::uint64_t b, unsigned shift, std::uint64_t lower) {
    return ((a ^ (a >> shift)) & lower) | ((b ^ (b << shift)) & ~lower);
  };
  std::uint64_t halves[4];
  for (unsigned i = 0; i < 4; ++i)
    halves[i] = fold(words[i], words[i + 4], 32, 0x00000000ffffffffU);
  std::uint64_t quarters[2];
  for (unsigned i = 0; i < 2; ++i) {
    quarters[i] = fold(halves[i], halves[i + 2], 16, 0x0000ffff0000ffffU);
  }
  return byte_parities(fold(quarters[0], quarters[1], 8, 0x00ff00ff00ff00ffU));
}

}  // namespace crivo::ribbon
