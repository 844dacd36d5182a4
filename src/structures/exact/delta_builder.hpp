// SPDX-License-Identifier: Apache-2.0
/// Builds the list of flips that turns a set, with the deltas so far, into another set of members
/// over a universe that may have grown:
///
///     members, universe ──▶ what is answered wrongly: additions, removals, accidents of new keys
///     members, universe ──▶ the other keys in the cells of these ──▶ salts that tell them apart
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "stream/hash_source.hpp"
#include "structures/exact/builder.hpp"
#include "structures/exact/flip_list.hpp"
#include "structures/exact/layered_set.hpp"

namespace crivo::exact {

struct MadeFlips {
  FlipList list{};  ///< its views are of the bytes here
  base::Bytes added{};
  base::Bytes bits{};
  std::uint64_t missing = 0;     ///< members that the universe lacks
  std::uint64_t temp_bytes = 0;  ///< of gathered keys
};

/// `members` have the hash of their group as their value, in a set with groups. The universe is
/// gone through twice. Bytes depend on the sets of members and of keys of the universe, on how many
/// keys that has in each group, repeats counted, and on what was answered. Memory: what the members
/// and the universe's keys that are answered `member` take, 24 bytes each, as far as memory_bytes
/// allows, and some 500 bytes a flip. Throws Error(bad_input, io).
MadeFlips build_flips(const stream::HashSource& members, const UniverseKeys& universe,
                      const LayeredSet& known, std::uint64_t memory_bytes,
                      const std::filesystem::path& temp_dir, const base::BuildContext& context);

}  // namespace crivo::exact
