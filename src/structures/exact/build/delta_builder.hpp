// SPDX-License-Identifier: Apache-2.0
/// Builds the list of flips that turns a set, with the deltas so far, into another set of members
/// over a universe that may have grown:
///
///     members, universe ──▶ what is answered wrongly: additions, removals, accidents of new keys
///     members, universe ──▶ the other keys in the cells of these ──▶ salts that tell them apart
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "stream/hash_source.hpp"
#include "structures/exact/build/builder.hpp"
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

/// The flips that a list is made of.
struct FoundFlips {
  std::vector<GroupedKey> flips{};   ///< distinct, ascending
  std::vector<GroupedKey> others{};  ///< distinct, ascending: keys that share a cell with a flip
  std::uint64_t missing = 0;
  std::uint64_t temp_bytes = 0;
  // The same for all shares of a universe:
  std::vector<std::uint64_t> counts{};  ///< by the number of a group, its keys in the universe
  base::Bytes added{};                  ///< FlipList::added
  std::uint64_t members = 0;
  std::uint64_t universe = 0;
};

/// Some members and keys of a universe: those whose hashes begin alike.
struct FlipScope {
  const UniverseCounts& counts;  ///< of the whole universe, with the groups of all members
  std::uint64_t members = 0;     ///< all
  unsigned bits = 0;             ///< cells of so many bits and more are of one share
};

/// `members` have the hash of their group as their value, in a set with groups. The universe is
/// gone through twice. What is found depends on the sets of members and of keys of the universe, on
/// how many keys that has in each group, repeats counted, and on what was answered. Memory: what
/// the members and the universe's keys that are answered `member` take, 24 bytes each, as far as
/// memory_bytes allows, and some 500 bytes a flip. `share` is null of all. Throws Error(bad_input,
/// io).
FoundFlips find_flips(const stream::HashSource& members, const UniverseKeys& universe,
                      const LayeredSet& known, const FlipScope* share, std::uint64_t memory_bytes,
                      const std::filesystem::path& temp_dir, const base::BuildContext& context);

/// The list of what was found: the same bytes, whatever the shares were. Throws Error(bad_input).
MadeFlips make_flips(const FoundFlips& found, unsigned threads);

}  // namespace crivo::exact
