// SPDX-License-Identifier: Apache-2.0
/// The dissertation's dictionary: open addressing with linear probing.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "experiments/dictionaries/dictionary.hpp"
#include "experiments/key_sets.hpp"

namespace crivo::experiments {

/// A table of m entries over one contiguous key set (the dissertation's section 3.1, Figure 3.1):
/// an entry is a pointer of 4 bytes to the start of a key, or free. Key s is in the first entry
/// (h(s) + j) mod m, j = 0, 1, ..., that was free when it was inserted (its section 3.2, equation
/// 1.1).
class LinearProbing {
 public:
  /// Inserts all keys, which must outlive it, in their order. They are a set, as there: insertion
  /// looks for a free entry and compares no keys, so one that is repeated has two entries, and is
  /// found in the first. m = ceil(n / load), but at least n + 1, so that every search ends. Throws
  /// Error(usage) unless 0 < load < 1.
  ///
  /// The free entry is found through the sets of taken entries that end at one (Tarjan, 1975), and
  /// the collisions counted as its distance: the table and the counts are those of probing, but the
  /// time is almost linear however many there are (with Jenkins's hash at load 0.70 tens of
  /// thousands a key). Takes 4 m bytes more while it runs.
  LinearProbing(const KeySet& keys, double load, const Hashing& hashing);

  /// Its section 3.2 expects (1 + 1 / (1 - load)) / 2 comparisons if the key is there, one of them
  /// not a collision, and (1 + 1 / (1 - load)^2) / 2 - 1 collisions if not.
  Sought find(std::string_view key) const noexcept {
    Sought sought;
    for (std::uint32_t at = address(key); entries_[at] != kNoKey; at = after(at)) {
      if (keys_.at(entries_[at]) == key) {
        sought.found = true;
        break;
      }
      ++sought.collisions;
    }
    return sought;
  }
  bool contains(std::string_view key) const noexcept { return find(key).found; }

  /// m.
  std::uint32_t slots() const noexcept { return static_cast<std::uint32_t>(entries_.size()); }
  /// Of all insertions: the taken entries that each met. Where keys are a set, also the collisions
  /// of searching each once.
  std::uint64_t collisions() const noexcept { return collisions_; }
  /// Of the table, without the key set.
  std::uint64_t bytes() const noexcept { return entries_.size() * sizeof entries_[0]; }

 private:
  std::uint32_t address(std::string_view key) const noexcept {
    return reduce_(static_cast<std::uint32_t>(hash_(key).hi >> 32));
  }
  std::uint32_t after(std::uint32_t at) const noexcept { return ++at == slots() ? 0 : at; }

  const KeySet& keys_;
  const hashing::SeededHash& hash_;
  std::vector<std::uint32_t> entries_;
  classic::Reduction reduce_;
  std::uint64_t collisions_ = 0;
};

}  // namespace crivo::experiments
