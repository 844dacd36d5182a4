// SPDX-License-Identifier: Apache-2.0
/// The bits behind a KeyHash. Not an interface: which they are may change with any version.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "crivo/detail/export.hpp"
#include "crivo/detail/xxh3.hpp"

namespace crivo::detail {

/// A key's hash. Structures partition and sort by `hi` first, then `lo`.
struct Hash128 {
  std::uint64_t hi = 0;
  std::uint64_t lo = 0;

  friend constexpr auto operator<=>(const Hash128&, const Hash128&) = default;
};

/// The usual key hash (formats/crivo-1.md, "Keys and their hash"). `hi` is XXH3_64bits_withSeed of
/// xxHash 0.8, and alone what most lookups need. `lo` is made of the same products for keys of 17
/// to 128 bytes, and else XXH3-64 under a second seed. Equal keys and seeds give equal hashes on
/// every machine, in all later versions.
constexpr std::uint64_t second_seed(std::uint64_t seed) noexcept {
  return seed + 0x9e3779b97f4a7c15U;
}

/// hash_key(key, seed).hi. O(size of the key); inlined for keys of up to 128 bytes, some 10 ns for
/// a URL.
[[gnu::always_inline]] inline std::uint64_t first_half(std::string_view key,
                                                       std::uint64_t seed) noexcept {
  return xxh3::hash(key, seed);
}
[[gnu::always_inline]] inline std::uint64_t first_half(std::span<const std::byte> key,
                                                       std::uint64_t seed) noexcept {
  return first_half(std::string_view(reinterpret_cast<const char*>(key.data()), key.size()), seed);
}
[[gnu::always_inline]] inline std::uint64_t first_half(std::string_view key,
                                                       const xxh3::PreparedSeed& seed) noexcept {
  return xxh3::hash(key, seed);
}
[[gnu::always_inline]] inline std::uint64_t first_half(std::span<const std::byte> key,
                                                       const xxh3::PreparedSeed& seed) noexcept {
  return first_half(std::string_view(reinterpret_cast<const char*>(key.data()), key.size()), seed);
}
/// Both halves, likewise; some 10 ns for a URL. `seed` is a number or a PreparedSeed.
template <typename Seed>
[[gnu::always_inline]] inline Hash128 both_halves(std::string_view key, const Seed& seed) noexcept {
  const std::uint64_t first = xxh3::number_of(seed);
  if (key.size() > 16) [[likely]] {
    if (key.size() <= 128) [[likely]] {
      const xxh3::Sums sums = xxh3::sums_of_medium(key, seed);
      return {sums.first(), sums.second()};
    }
    return {xxh3::of_long(key.data(), key.size(), first),
            xxh3::of_long(key.data(), key.size(), second_seed(first))};
  }
  return {xxh3::of_short(key.data(), key.size(), first),
          xxh3::of_short(key.data(), key.size(), second_seed(first))};
}
/// The same, not inlined.
CRIVO_API Hash128 hash_key(std::string_view key, std::uint64_t seed) noexcept;
CRIVO_API Hash128 hash_key(std::string_view key, const xxh3::PreparedSeed& seed) noexcept;

inline Hash128 hash_key(std::span<const std::byte> key, std::uint64_t seed) noexcept {
  return hash_key(std::string_view(reinterpret_cast<const char*>(key.data()), key.size()), seed);
}

/// A number is hashed as the key of its 8 bytes, the lowest first: one of the keys that `--fixed 8`
/// reads from a file of such numbers. Each half is a bijection: no two numbers share one. Inlined;
/// some 2 ns for both.
constexpr std::uint64_t first_half(std::uint64_t key, xxh3::SeedOf4To8 seed) noexcept {
  return xxh3::of_4_to_8(key, sizeof key, seed);
}
constexpr std::uint64_t first_half(std::uint64_t key, std::uint64_t seed) noexcept {
  return first_half(key, xxh3::SeedOf4To8(seed));
}
constexpr Hash128 hash_key(std::uint64_t key, std::uint64_t seed) noexcept {
  return {first_half(key, seed), first_half(key, second_seed(seed))};
}

}  // namespace crivo::detail
