// SPDX-License-Identifier: Apache-2.0
/// What one hash partition adds to a section: the buckets that a build makes at once, and a reader
/// finds in one place.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "structures/build/assembly.hpp"
#include "structures/consensus/boundaries.hpp"
#include "structures/consensus/build/kernel.hpp"
#include "structures/consensus/build/parameters.hpp"
#include "structures/consensus/build/tree_search.hpp"
#include "structures/consensus/part_entry.hpp"
#include "structures/ribbon/band.hpp"

namespace crivo::consensus {

struct Part {
  PartEntry entry;
  base::Bytes bytes;          ///< boundaries, columns, trees; none without buckets
  std::vector<Hash128> rest;  ///< the hashes that are left over
};

/// Makes part after part on one thread.
class PartBuilder {
 public:
  PartBuilder(const Parameters& parameters, const Spacing& spacing);

  /// The part of a partition's hashes. All of them are left over if they are spread too unevenly,
  /// or if no salt will do.
  Part build(std::span<const Hash128> hashes);
  /// Of the partition that was built last, of so many hashes and with that entry: the rank of each
  /// key in the partition's buckets; of those that are left over PartRanks::kBumped.
  std::vector<std::uint32_t> ranks(std::span<const Hash128> hashes, const PartEntry& entry) const;

 private:
  bool try_salt(std::span<const Hash128> hashes, unsigned salt);

  Shape shape_;
  Spacing spacing_;
  TreeSearch search_;
  std::vector<std::uint64_t> materials_;
  std::vector<std::uint16_t> orders_;  ///< TreeSearch::order() of each bucket
  base::Bytes columns_;                ///< k / 16 bytes a bucket, and kExtraColumnBytes
  base::Bytes trees_;                  ///< tree_bits / 8 bytes a bucket
};

}  // namespace crivo::consensus
