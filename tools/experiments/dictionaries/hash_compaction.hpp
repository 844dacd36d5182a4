// SPDX-License-Identifier: Apache-2.0
/// The thesis's dictionary by hash compaction.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "experiments/dictionaries/chains.hpp"
#include "experiments/dictionaries/dictionary.hpp"
#include "experiments/key_sets.hpp"
#include "structures/bits/bit_fields.hpp"

namespace crivo::experiments {

/// Hash compaction as the thesis has it (its section 2.1.3 and Figure 2.2, after Wolper and
/// Leroy): an element x is compressed to x' = H(x) of l bits, and x' is put into the bucket h(x')
/// of a hash table with linked lists. Keys are not kept: one that is not of the set is found where
/// its compressed representation is that of one that is, of which the probability is at most
/// n / 2^l. (Crivo's filter type `hash-compaction` is this with linear probing in place of lists.)
class HashCompaction {
 public:
  /// Inserts all keys, of which each takes the same `bits` (l), 1 to 64, and a link. The table has
  /// ceil(n / load) buckets, at least 1. H is the first `bits` of the key hash. Throws
  /// Error(usage).
  HashCompaction(const KeySet& keys, double load, const Hashing& hashing, unsigned bits);

  /// INSERT(x). O(1).
  void insert(std::string_view key);

  /// QUERY(x). Collisions are other compressed representations.
  Sought find(std::string_view key) const noexcept {
    const std::uint64_t compressed = compress(key);
    Sought sought;
    chains_.visit(bucket(compressed), [&](std::uint32_t element) {
      sought.found = block(element) == compressed;
      sought.collisions += sought.found ? 0 : 1;
      return sought.found;
    });
    return sought;
  }
  bool contains(std::string_view key) const noexcept { return find(key).found; }

  std::uint64_t bytes() const noexcept { return chains_.bytes() + blocks_.size(); }

 private:
  std::uint64_t compress(std::string_view key) const noexcept {
    return hash_(key).hi >> (64 - bits_);
  }
  std::uint32_t bucket(std::uint64_t compressed) const noexcept {
    return reduce_(static_cast<std::uint32_t>(base::mix64(compressed + 1) >> 32));
  }
  std::uint64_t block(std::uint64_t element) const noexcept {
    return static_cast<std::uint64_t>(bits::load_bits(blocks_.data(), element * bits_)) &
           ~std::uint64_t{0} >> (64 - bits_);
  }

  const hashing::SeededHash& hash_;
  unsigned bits_;
  Chains chains_;
  classic::Reduction reduce_;
  base::Bytes blocks_;  ///< `bits_` of each element, packed, and what a field is followed by
  std::uint64_t size_ = 0;
};

}  // namespace crivo::experiments
