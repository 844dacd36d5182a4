// SPDX-License-Identifier: Apache-2.0
/// The hashes of some keys at a time.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "hashing/batch_hash.hpp"
#include "hashing/hash_family.hpp"

namespace crivo::input {

/// hashes[i] = hash(keys[i]) of at most BatchHash::kMostKeys keys; `together` has the same seed.
inline void hash_batch(std::span<const std::string_view> keys, const hashing::SeededHash& hash,
                       const hashing::BatchHash& together, Hash128* hashes) noexcept {
  if (hash.is_hash_key()) {
    together(keys, hashes);
  } else {
    hashing::for_each_by_length(keys, [&](std::size_t i) { hashes[i] = hash(keys[i]); });
  }
}

}  // namespace crivo::input
