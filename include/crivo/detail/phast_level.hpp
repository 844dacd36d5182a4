// SPDX-License-Identifier: Apache-2.0
/// The part of a lookup that is compiled into its caller: the first level of a function of the
/// PHast family, which answers some 99 of 100 keys. Not an interface; Mphf's lookup() is.
/// formats/phast.md specifies the arithmetic.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "crivo/detail/hash128.hpp"

namespace crivo::detail {

/// A seed's low bits are its shift, the others its family. Seed 0 says that the bucket is bumped.
inline constexpr unsigned kShiftBits = 8;
inline constexpr unsigned kShifts = 1U << kShiftBits;

/// Where in its slice of 2^(16 - spread_shift) values, from minus half of them on, the family of
/// `seed` puts a key: by the lowest bits of `hi`, since the highest say where the slice is. (The
/// AVX2 lookup has it once more, for four keys.)
inline std::int64_t spread(std::uint64_t hi, std::uint32_t seed, unsigned spread_shift) noexcept {
  const std::uint32_t odd = (seed >> (kShiftBits - 1)) | 1;  // 2 * family + 1
  const std::int64_t y = static_cast<std::int16_t>(static_cast<std::uint32_t>(hi) * odd);
  return y >> spread_shift;
}

/// One level, looked up by a first half of a hash. Nothing that its arrays hold is trusted: a place
/// in them follows from the shape alone, and what comes out is clamped. Its numbers are of a type
/// that no array of 64-bit ranks has, so that a loop which stores ranks may keep them in registers.
struct PhastLevel {
  using Number = unsigned long long;
  static_assert(sizeof(Number) == sizeof(std::uint64_t));

  static constexpr std::byte kNoSeeds[8] = {};
  /// A level without buckets bumps every key.
  Number buckets = 0;
  Number keys = 0;
  const std::byte* seeds = kNoSeeds;  ///< packed; a 32-bit load at any seed's byte stays inside
  Number seed_bits = 0;
  std::uint32_t seed_mask = 0;     ///< 2^seed_bits - 1
  std::uint32_t spread_shift = 0;  ///< 16 less the bits of a slice's length

  void set_seeds(const std::byte* packed, unsigned bits) noexcept {
    seeds = packed;
    seed_bits = bits;
    seed_mask = (1U << bits) - 1;
  }
  /// The bit at which the seed of the bucket of `hi` begins.
  std::uint64_t seed_place(std::uint64_t hi) const noexcept {
    return mulhi(hi, buckets) * seed_bits;
  }
  void prefetch(std::uint64_t place) const noexcept { __builtin_prefetch(seeds + place / 8); }
  std::uint32_t seed(std::uint64_t place) const noexcept {
    std::uint32_t word;
    std::memcpy(&word, seeds + place / 8, sizeof word);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap32(word);
    return (word >> (place % 8)) & seed_mask;
  }
  /// The value, below `keys`, that a seed other than 0 gives to `hi`. That of a key of the set
  /// needs no clamp.
  std::uint64_t value(std::uint64_t hi, std::uint32_t seed) const noexcept {
    const auto away = static_cast<std::uint64_t>(spread(hi, seed, spread_shift));
    const std::uint64_t value = mulhi(hi, keys) + away + seed % kShifts;
    if (value >= keys) [[unlikely]]
      return keys - 1;
    return value;
  }

  /// Whether `hi` has a value on this level, which has buckets; then `value` becomes it. Some 25
  /// instructions.
  [[gnu::always_inline]] bool find(std::uint64_t hi, std::uint64_t& value) const noexcept {
    const std::uint32_t own = seed(seed_place(hi));
    value = this->value(hi, own);
    return own != 0;
  }

  static std::uint64_t mulhi(std::uint64_t a, std::uint64_t b) noexcept {
    return static_cast<std::uint64_t>((Product128{a} * b) >> 64);
  }
};

inline constexpr PhastLevel kBumpsAll;

}  // namespace crivo::detail
