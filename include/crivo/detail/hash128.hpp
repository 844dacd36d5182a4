/// The bits behind a KeyHash. Not an interface: which they are may change with any version.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace crivo::detail {

__extension__ using Product128 = unsigned __int128;

/// A key's hash. Structures partition and sort by `hi` first, then `lo`.
struct Hash128 {
  std::uint64_t hi = 0;
  std::uint64_t lo = 0;

  friend constexpr auto operator<=>(const Hash128&, const Hash128&) = default;
};

/// The usual key hash: XXH3_128bits_withSeed of xxHash 0.8, whose output is fixed for all later
/// versions. Equal keys and seeds give equal hashes on every machine. O(key.size()); about 15 ns
/// for a URL.
Hash128 hash_key(std::string_view key, std::uint64_t seed) noexcept;

inline Hash128 hash_key(std::span<const std::byte> key, std::uint64_t seed) noexcept {
  return hash_key(std::string_view(reinterpret_cast<const char*>(key.data()), key.size()), seed);
}

/// Hashes a number as the key of its 8 bytes, the lowest first: one of the keys that `--fixed 8`
/// reads from a file of such numbers. Inlined; some 2 ns.
constexpr Hash128 hash_key(std::uint64_t key, std::uint64_t seed) noexcept {
  // XXH3's rule for keys of 4 to 8 bytes, for 8.
  const std::uint64_t swapped = __builtin_bswap32(static_cast<std::uint32_t>(seed));
  const std::uint64_t flip = 0xc4f023344dc994acU + (seed ^ swapped << 32);
  const Product128 product = Product128{key ^ flip} * (0x9e3779b185ebca87U + (8U << 2));
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

}  // namespace crivo::detail
