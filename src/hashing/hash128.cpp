#include "hashing/hash128.hpp"

#include <xxhash.h>

namespace crivo::detail {

Hash128 hash_key(std::string_view key, std::uint64_t seed) noexcept {
  const XXH128_hash_t h = XXH3_128bits_withSeed(key.data(), key.size(), seed);
  return {h.high64, h.low64};
}

}  // namespace crivo::detail
