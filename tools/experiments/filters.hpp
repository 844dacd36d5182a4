// SPDX-License-Identifier: Apache-2.0
/// Filters in memory.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "crivo/build/options.hpp"
#include "crivo/key.hpp"
#include "hashing/hash_family.hpp"
#include "stream/sorted_hashes.hpp"
#include "structures/filter.hpp"

namespace crivo::experiments {

/// A section of a filter file, and the filter that rests on it.
struct BuiltFilter {
  base::Bytes section;
  std::unique_ptr<const filter::Membership> membership;

  double bits_per_key() const noexcept;
  /// The part of `hashes` that may be in it.
  double positive_part(std::span<const Hash128> hashes) const;
};

/// On one thread. Throws Error(usage).
BuiltFilter build_filter(const FilterOptions& options, const stream::SortedHashes& hashes);

/// The function that keys of the filter's type are looked up by.
hashing::SeededHash filter_hash(const FilterOptions& options, std::uint64_t seed = kDefaultSeed);

}  // namespace crivo::experiments
