// SPDX-License-Identifier: Apache-2.0
#include "hashing/hash128.hpp"

#include <xxhash.h>

namespace crivo::detail {

Hash128 hash_key(std::string_view key, std::uint64_t seed) noexcept {
  return both_halves(key, seed);
}
Hash128 hash_key(std::string_view key, const xxh3::PreparedSeed& seed) noexcept {
  return both_halves(key, seed);
}

std::uint64_t xxh3::of_long(const char* key, std::size_t size, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(key, size, seed);
}

}  // namespace crivo::detail
