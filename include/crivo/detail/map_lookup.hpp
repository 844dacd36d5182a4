// SPDX-License-Identifier: Apache-2.0
/// The part of a map's lookup that is compiled into its caller. Not an interface; Map's lookup()
/// is.
#pragma once

#include <atomic>
#include <cstdint>

#include "crivo/detail/export.hpp"

namespace crivo::detail {

/// Is called by Map for a key: one function, which knows the form of the static function.
struct MapLookup {
  /// The value of the key with the hash (hi, lo); null for a map that may refuse keys.
  std::uint64_t (*value)(const void* function, std::uint64_t hi,
                         std::uint64_t lo) noexcept = nullptr;
  const void* function = nullptr;
  /// Whether anyone has come upon damaged bytes: then a value may rest on them.
  const std::atomic<bool>* damage = nullptr;
};

}  // namespace crivo::detail
