// SPDX-License-Identifier: Apache-2.0
/// The thesis's hash table, a full dictionary.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "experiments/dictionaries/chains.hpp"
#include "experiments/dictionaries/dictionary.hpp"
#include "experiments/key_sets.hpp"

namespace crivo::experiments {

/// The hash table of the thesis's section 2.1.2 (its Figure 2.1): m buckets, of which bucket h(x)
/// has a linked list of the elements x. An element is a pointer of 4 bytes into the key set, as in
/// the dissertation's table, so that both differ in nothing but the scheme of collisions.
class ChainedTable {
 public:
  /// Inserts all keys, which must outlive it. m = ceil(n / load), at least 1; the load may be
  /// above 1. Throws Error(usage) unless 0 < load.
  ChainedTable(const KeySet& keys, double load, const Hashing& hashing);

  /// INSERT(x) of the key at `start`: to the front of its list, whether it is there already or
  /// not. O(1).
  void insert(std::uint32_t start);

  /// QUERY(x). O(1 + load) expected, O(n) at the worst.
  Sought find(std::string_view key) const noexcept {
    Sought sought;
    chains_.visit(bucket(key), [&](std::uint32_t element) {
      sought.found = keys_.at(elements_[element]) == key;
      sought.collisions += sought.found ? 0 : 1;
      return sought.found;
    });
    return sought;
  }
  bool contains(std::string_view key) const noexcept { return find(key).found; }

  /// Without the key set.
  std::uint64_t bytes() const noexcept {
    return chains_.bytes() + elements_.size() * sizeof elements_[0];
  }

 private:
  std::uint32_t bucket(std::string_view key) const noexcept {
    return reduce_(static_cast<std::uint32_t>(hash_(key).hi >> 32));
  }

  const KeySet& keys_;
  const hashing::SeededHash& hash_;
  Chains chains_;
  classic::Reduction reduce_;
  std::vector<std::uint32_t> elements_;  ///< starts of keys
};

}  // namespace crivo::experiments
