// SPDX-License-Identifier: Apache-2.0
/// The thesis's cuckoo hash table.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/dictionaries/dictionary.hpp"
#include "experiments/key_sets.hpp"
#include "structures/classic/blocks.hpp"

namespace crivo::experiments {

struct CuckooShape {
  unsigned bucket_entries = 4;  ///< elements that a bucket has room for, at least 1
  /// Of the table that is made first: above 0, at most 1. Insertion of random keys succeeds up to
  /// a load of 0.5 with one entry a bucket, 0.897 with two, 0.976 with four.
  double load = 0.95;
  unsigned max_moves = 500;  ///< after which the table is too full for an element
};

/// The cuckoo hash table of the thesis's section 4.1 (its Figure 4.1): one vector of buckets, and
/// two hash functions h1 and h2 that give each element two of them; it is always in one of the two.
/// Entries are pointers of 4 bytes into the key set. What the thesis leaves open: a table that is
/// too full is made again, an eighth larger, with the next pair of functions.
class CuckooTable {
 public:
  /// Inserts all keys, which must outlive it. Throws Error(usage) for a shape out of its range.
  CuckooTable(const KeySet& keys, const Hashing& hashing, const CuckooShape& shape);

  /// INSERT(x) of the key at `start` (section 4.1.1): into a bucket of its two that has room; else
  /// it takes the place of an element of one of them, both chosen at random, which is inserted
  /// again in its turn; max_moves times at most. False if the key is there already. O(1) amortised
  /// expected. Throws Error(bad_input) where so many keys have the same hashes that no table of 32
  /// times their number holds them.
  bool insert(std::uint32_t start);

  /// REMOVE(x) (section 4.1.3). False if the key is not there.
  bool remove(std::string_view key) noexcept;

  /// QUERY(x) (section 4.1.2): looks into two buckets.
  Sought find(std::string_view key) const noexcept {
    Sought sought;
    locate(key, sought);
    return sought;
  }
  bool contains(std::string_view key) const noexcept { return find(key).found; }

  std::uint64_t size() const noexcept { return size_; }
  /// How often an element took another's place.
  std::uint64_t moves() const noexcept { return moves_; }
  /// How often the table was too full.
  std::uint64_t rehashes() const noexcept { return salt_; }
  double load() const noexcept {
    return static_cast<double>(size_) / static_cast<double>(entries_.size());
  }
  /// Without the key set.
  std::uint64_t bytes() const noexcept { return entries_.size() * sizeof entries_[0]; }

 private:
  using Buckets = std::pair<std::uint32_t, std::uint32_t>;

  Buckets buckets(std::string_view key) const noexcept {
    const classic::Words words = classic::words(hash_(key), salt_);
    return {reduce_(words[0]), reduce_(words[1])};
  }
  /// The entry that holds the key, or none.
  std::optional<std::uint64_t> locate(std::string_view key, Sought& sought) const noexcept {
    const Buckets both = buckets(key);
    for (const std::uint32_t bucket : {both.first, both.second}) {
      const std::uint64_t first = std::uint64_t{bucket} * bucket_entries_;
      for (std::uint64_t at = first; at < first + bucket_entries_; ++at) {
        if (entries_[at] == kNoKey) continue;
        if (keys_.at(entries_[at]) == key) {
          sought.found = true;
          return at;
        }
        ++sought.collisions;
      }
      if (both.first == both.second) break;
    }
    return std::nullopt;
  }

  void resize(std::uint64_t buckets);
  bool put(std::uint32_t start, std::uint32_t bucket) noexcept;
  /// Puts an element that is not in the table; returns the one that has no place, if any.
  std::uint32_t place(std::uint32_t start) noexcept;
  void grow(std::uint32_t homeless);
  std::uint32_t random(std::uint32_t bound) noexcept;

  const KeySet& keys_;
  const hashing::SeededHash& hash_;
  classic::Range range_;
  unsigned bucket_entries_;
  unsigned max_moves_;
  classic::Reduction reduce_;
  std::vector<std::uint32_t> entries_;  ///< those of a bucket side by side
  std::uint32_t salt_ = 0;              ///< of the pair of functions
  std::uint64_t size_ = 0;
  std::uint64_t moves_ = 0;
  std::uint64_t draws_ = 0;
};

}  // namespace crivo::experiments
