/// The 128-bit key hash that every structure is built over and looked up by.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace crivo {

/// The XXH3-128 hash of a key. Structures partition and sort by `hi` first, then `lo`.
struct Hash128 {
  std::uint64_t hi = 0;
  std::uint64_t lo = 0;

  friend constexpr auto operator<=>(const Hash128&, const Hash128&) = default;
};

/// The seed of a build that names none.
inline constexpr std::uint64_t kDefaultSeed = 0;

/// Hashes a key: XXH3_128bits_withSeed of xxHash 0.8, whose output is fixed for all later versions.
/// Equal keys and seeds give equal hashes on every machine. O(key.size()); about 15 ns for a URL.
///
/// Files built with one seed (all that name none) share their hashes: a key that is asked of a
/// filter, an MPHF and a store in a row is hashed once, if their seed() is the same.
Hash128 hash_key(std::string_view key, std::uint64_t seed) noexcept;

inline Hash128 hash_key(std::span<const std::byte> key, std::uint64_t seed) noexcept {
  return hash_key(std::string_view(reinterpret_cast<const char*>(key.data()), key.size()), seed);
}

namespace detail {

__extension__ using Product128 = unsigned __int128;

}  // namespace detail

/// Hashes a number as the key of its 8 bytes, the lowest first: one of the keys that `--fixed 8`
/// reads from a file of such numbers. Inlined; some 2 ns.
constexpr Hash128 hash_key(std::uint64_t key, std::uint64_t seed) noexcept {
  // XXH3's rule for keys of 4 to 8 bytes, for 8.
  const std::uint64_t low = seed & 0xffffffff;
  const std::uint64_t swapped = low >> 24 | (low >> 8 & 0xff00) | (low & 0xff00) << 8 | low << 24;
  const std::uint64_t flip = 0xc4f023344dc994acU + (seed ^ swapped << 32);
  const detail::Product128 product =
      detail::Product128{key ^ flip} * (0x9e3779b185ebca87U + (8U << 2));
  std::uint64_t lo = static_cast<std::uint64_t>(product);
  std::uint64_t hi = static_cast<std::uint64_t>(product >> 64) + (lo << 1);
  lo ^= hi >> 3;
  lo ^= lo >> 35;
  lo *= 0x9fb21c651e98df25U;
  lo ^= lo >> 28;
  hi ^= hi >> 37;
  hi *= 0x165667919e3779f9U;
  hi ^= hi >> 32;
  return {hi, lo};
}

}  // namespace crivo
