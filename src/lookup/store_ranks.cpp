// SPDX-License-Identifier: Apache-2.0
#include "lookup/store_ranks.hpp"

#include <algorithm>
#include <array>

#include "file/only_structure.hpp"
#include "file/section_types.hpp"
#include "lookup/dictionary_file.hpp"

namespace crivo::index {

StoreRanks::StoreRanks(const file::Container& index) {
  if (!index.find(file::kDictionaryHeadSection)) {
    by_hash.emplace(index);
    return;
  }
  if (file::only_structure(index, mphf::algorithms()) != nullptr ||
      index.find(file::kSignatureSection)) {
    index.fail("damaged: it has both a dictionary and an MPHF");
  }
  if (!hashing::stands_for(index.header().key_hash, hashing::KeyHashId::xxh3))
    index.fail("damaged: the header of an ordered store has the key hash of another structure");
  in_order = std::make_shared<const dictionary::Reader>(dictionary::open_dictionary(index));
}

void StoreRanks::lookup(std::span<const std::string_view> keys, std::span<const Hash128> hashes,
                        std::span<std::uint64_t> ranks) const noexcept {
  if (by_hash) return by_hash->lookup(hashes, ranks.data());
  ranks_of(keys, ranks);
}

void StoreRanks::ranks_of(std::span<const std::string_view> keys,
                          std::span<std::uint64_t> ranks) const noexcept {
  std::array<dictionary::Place, 64> places;
  for (std::size_t begin = 0; begin < keys.size(); begin += places.size()) {
    const auto some = keys.subspan(begin, std::min(places.size(), keys.size() - begin));
    in_order->find(some, std::span(places).first(some.size()));
    for (std::size_t i = 0; i < some.size(); ++i)
      ranks[begin + i] = places[i].found ? places[i].id : RankIndex::kAbsent;
  }
}

}  // namespace crivo::index
