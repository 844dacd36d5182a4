/// hash_key(), compiled into its caller: a call into the shared library costs a short key as much
/// as its hash does.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <string_view>

#include "hashing/hash128.hpp"

namespace crivo::hashing {

/// The same as hash_key(key, seed).
[[gnu::always_inline]] inline Hash128 hash_key_inline(std::string_view key,
                                                      std::uint64_t seed) noexcept {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(key.data(), key.size(), seed);
  return {hash.high64, hash.low64};
}

}  // namespace crivo::hashing
