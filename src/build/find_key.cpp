// SPDX-License-Identifier: Apache-2.0
#include "build/find_key.hpp"

#include <algorithm>
#include <vector>

#include "build/built_hash.hpp"
#include "crivo/error.hpp"
#include "input/hash_keys.hpp"
#include "input/places.hpp"
#include "lookup/key_hash.hpp"

namespace crivo::index {

std::optional<FoundKey> find_key(const KeyInput& input, const file::Header& header,
                                 std::span<const Hash128> hashes, bool pairs) {
  std::vector<std::uint64_t> wanted;
  wanted.reserve(hashes.size());
  for (const Hash128& hash : hashes) wanted.push_back(hash.lo);
  std::ranges::sort(wanted);
  const input::UnitFraming framing = input::UnitFraming::of(input.format, pairs);
  std::optional<FoundKey> found;
  input::replay_keys(
      input, pairs, {hash_family(header.key_hash, input), header.seed},
      [&](std::uint64_t low, const input::Place& place, const std::string_view* text) {
        if (!std::ranges::binary_search(wanted, low)) return true;
        found = {text != nullptr ? quote(*text) : "", input::place_name(input, framing, place)};
        return false;
      });
  return found;
}

}  // namespace crivo::index
