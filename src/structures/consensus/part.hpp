// SPDX-License-Identifier: Apache-2.0
/// What one hash partition adds to a section: the buckets that a build makes at once, and a reader
/// finds in one place.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "structures/consensus/boundaries.hpp"
#include "structures/consensus/kernel.hpp"
#include "structures/consensus/parameters.hpp"
#include "structures/consensus/tree_search.hpp"
#include "structures/ribbon/band.hpp"

namespace crivo::consensus {

inline constexpr unsigned kMaxSalt = 15;

/// A partition's columns are one bit a pair, and a word for the rest of the last pair's equation.
inline constexpr std::uint64_t kExtraColumnBytes = 8;

/// A partition's entry in the table at the section's end: zeros if the partition has no buckets.
struct PartEntry {
  Boundaries::Sizes boundaries;
  std::uint8_t salt = 0;
};

inline constexpr std::uint64_t kPartEntryBytes = 40;
/// The byte of an entry that is 1 where the partition begins at the next multiple of kPageBytes of
/// the section (in manifests, where it is mapped out of a file of its own), and otherwise 0.
inline constexpr std::uint64_t kApartAt = kPartEntryBytes - 3;

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
