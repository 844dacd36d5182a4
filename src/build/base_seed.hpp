// SPDX-License-Identifier: Apache-2.0
/// Keys that are hashed with the seed of a file that is there.
#pragma once

#include <cstdint>
#include <filesystem>

#include "crivo/error.hpp"
#include "input/hash_keys.hpp"
#include "input/places.hpp"

namespace crivo::index {

/// Throws Error(bad_input) unless the keys were hashed with the base's seed: two had one hash.
inline void require_seed(const input::KeySet& keys, hashing::Seed seed, const KeyInput& input,
                         const std::filesystem::path& base) {
  if (keys.seed == seed) return;
  throw Error(ErrorKind::bad_input,
              input::input_name(input, 0) +
                  ": two different keys have the same 128-bit hash under the seed of " +
                  base.string() + "; build a new base with another seed");
}

}  // namespace crivo::index
