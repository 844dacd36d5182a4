// SPDX-License-Identifier: Apache-2.0
/// The filter type `hash-compaction`: a dictionary of compressed keys of one width
/// (formats/hash-compaction.md).
///
///     section   header 64 | T slots of w bits, ascending but for the free ones | zero 16
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/bits/bit_fields.hpp"
#include "structures/filter.hpp"

namespace crivo::filter {

std::unique_ptr<const Membership> open_hash_compaction(base::ByteView section);

}  // namespace crivo::filter

namespace crivo::filter::hash_compaction {

inline constexpr unsigned kMaxWidth = 64;

/// A hash table of compressed keys (Wolper, Leroy, "Reliable Hashing without Collision Detection",
/// CAV 1993). A compressed key x is a number of `width` bits, not 0, that marks a free slot; its
/// address is x's part of all numbers of that width, so that addresses ascend as compressed keys
/// do. Collisions are resolved by linear probing; as keys are put in in ascending order, the table
/// ascends but for its free slots, and a search ends at the first that is larger.
struct CompressedTable {
  unsigned width = 2;
  std::uint64_t keys = 0;
  std::uint64_t distinct = 0;  ///< compressed keys
  std::uint64_t addresses = 1;
  std::uint64_t slots = 1;  ///< the addresses, and what probing needs beyond the last
  std::uint64_t reach = 0;  ///< so many slots from its address on, at most, a search looks at
  const std::byte* data = nullptr;

  /// The number of values that a compressed key can have.
  std::uint64_t values() const noexcept { return ~std::uint64_t{0} >> (64 - width); }
  std::uint64_t bytes() const noexcept { return base::div_ceil(slots * width, 8); }

  std::uint64_t compress(Hash128 hash) const noexcept { return 1 + base::mulhi(hash.hi, values()); }
  std::uint64_t address(std::uint64_t x) const noexcept {
    return base::mulhi((x - 1) << (64 - width), addresses);
  }
  std::uint64_t slot(std::uint64_t index) const noexcept {
    const std::uint64_t bit = index * width;
    if (width > 57) return static_cast<std::uint64_t>(bits::load_bits(data, bit)) & values();
    return base::load_le<std::uint64_t>(data + bit / 8) >> (bit % 8) & values();
  }
};

}  // namespace crivo::filter::hash_compaction
