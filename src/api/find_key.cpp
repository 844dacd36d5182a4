#include "api/find_key.hpp"

#include <algorithm>
#include <vector>

#include "api/key_hash.hpp"
#include "keys/hash_keys.hpp"
#include "util/quote.hpp"

namespace crivo::api {

std::optional<FoundKey> find_key(const KeyInput& input, const file::Header& header,
                                 std::span<const Hash128> hashes, bool pairs) {
  std::vector<std::uint64_t> wanted;
  wanted.reserve(hashes.size());
  for (const Hash128& hash : hashes) wanted.push_back(hash.lo);
  std::ranges::sort(wanted);
  const keys::UnitFraming framing = pairs ? keys::UnitFraming::of_records(input.format)
                                          : keys::UnitFraming::of_keys(input.format);
  std::optional<FoundKey> found;
  keys::replay_keys(input, pairs, {hash_family(header.key_hash), header.seed},
                    [&](std::uint64_t low, const keys::Place& place, const std::string_view* text) {
                      if (!std::ranges::binary_search(wanted, low)) return true;
                      found = {text != nullptr ? util::quote(*text) : "",
                               keys::place_name(input.paths, framing, place)};
                      return false;
                    });
  return found;
}

}  // namespace crivo::api
