// SPDX-License-Identifier: Apache-2.0
/// How the keys of a store get their ranks: by an MPHF of their hashes, or, in an ordered store, by
/// a dictionary of the keys themselves.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "file/container.hpp"
#include "lookup/rank_index.hpp"
#include "structures/dictionary/reader.hpp"

namespace crivo::index {

/// Over a container that must outlive it. Immutable; safe for any number of threads.
struct StoreRanks {
  /// Finds and checks the sections; throws Error(corrupt), named after the container.
  explicit StoreRanks(const file::Container& index);

  /// The rank of a key with this hash, or RankIndex::kAbsent.
  std::uint64_t lookup(std::string_view key, const Hash128& hash) const noexcept {
    return by_hash ? by_hash->lookup(hash) : rank_of(key);
  }
  /// Those of many; all spans are of one length.
  void lookup(std::span<const std::string_view> keys, std::span<const Hash128> hashes,
              std::span<std::uint64_t> ranks) const noexcept;

  /// The same in an ordered store, where no hash is needed.
  std::uint64_t rank_of(std::string_view key) const noexcept {
    const dictionary::Place place = in_order->find(key);
    return place.found ? place.id : RankIndex::kAbsent;
  }
  void ranks_of(std::span<const std::string_view> keys,
                std::span<std::uint64_t> ranks) const noexcept;

  std::optional<RankIndex> by_hash;
  std::shared_ptr<const dictionary::Reader> in_order;  ///< of an ordered store; else null
};

}  // namespace crivo::index
