// SPDX-License-Identifier: Apache-2.0
/// Minimal perfect hash functions near the bound on space: sections of type
/// file::kConsensusSection.
///
///     section   header | part 0 | part 1 | ... | rest: a PHast section | table, 40 bytes a part
///     part      thresholds of buckets | exceptions | columns, a bit a pair | trees
///
///     hash ──▶ part ──▶ bucket ──▶ down its splitting tree ──▶ pair ──▶ column: which of two ──▶
///     rank
#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.hpp"
#include "structures/consensus/boundaries.hpp"
#include "structures/mphf.hpp"

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

/// The function in `section`, whose bytes must outlive it. O(partitions). Throws Error(corrupt).
std::unique_ptr<const mphf::Function> open(base::ByteView section);

}  // namespace crivo::consensus
