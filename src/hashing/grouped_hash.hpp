// SPDX-License-Identifier: Apache-2.0
/// Hashes of keys that belong to groups (formats/exact.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "crivo/detail/exact_lookup.hpp"
#include "hashing/hash128.hpp"
#include "hashing/hash_family.hpp"

namespace crivo::hashing {

/// The hash of a key in a group, of the hash of either. In one group no two keys with different
/// hashes share one, nor does one key in groups with different hashes.
constexpr Hash128 in_group(const Hash128& group, const Hash128& key) noexcept {
  return {detail::half_in_group(group.hi, key.hi), key.lo ^ group.lo};
}

/// What ends the group's name in the text of a key with its group.
inline constexpr char kGroupEnd = '\0';

/// A key hash of texts that are a group's name, kGroupEnd, and a key: in_group() of the hashes that
/// `plain`, which must outlive it, makes of these.
std::unique_ptr<const PreparedHash> grouped_hash(const SeededHash& plain);

}  // namespace crivo::hashing
