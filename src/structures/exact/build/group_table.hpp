// SPDX-License-Identifier: Apache-2.0
/// The groups of a set that is being built, found by their hashes.
#pragma once

#include <cstdint>
#include <vector>

#include "structures/exact/build/classes.hpp"

namespace crivo::exact {

/// Counts by 64-bit hashes: open addressing, as these are random numbers already.
class GroupTable {
 public:
  struct Entry {
    std::uint64_t hash = 0;
    std::uint64_t members = 0;
    std::uint64_t universe = 0;  ///< keys of it in the universe, repeats counted
    std::uint64_t others = 0;    ///< keys of the universe that are no members: about, or exactly
    Class kind = Class::none;
    bool gathered = false;  ///< all of its keys are, before its class is known
  };

  GroupTable() : places_(kFirstPlaces, kEmpty) {}

  /// The index of the entry of a hash; a new one has counts of 0.
  std::uint32_t index_of(std::uint64_t hash) {
    // Keys of one group often come one after the other.
    if (last_ < entries_.size() && entries_[last_].hash == hash) return last_;
    std::size_t place = hash & (places_.size() - 1);
    while (places_[place] != kEmpty && entries_[places_[place]].hash != hash)
      place = (place + 1) & (places_.size() - 1);
    if (places_[place] == kEmpty) {
      places_[place] = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back({.hash = hash});
      if (2 * entries_.size() > places_.size()) {
        last_ = static_cast<std::uint32_t>(entries_.size() - 1);
        grow();
        return last_;
      }
    }
    return last_ = places_[place];
  }
  static constexpr std::uint32_t kEmpty = UINT32_MAX;
  /// The same of a hash that may have an entry, else kEmpty; from any thread.
  std::uint32_t find(std::uint64_t hash) const noexcept {
    std::size_t place = hash & (places_.size() - 1);
    while (places_[place] != kEmpty && entries_[places_[place]].hash != hash)
      place = (place + 1) & (places_.size() - 1);
    return places_[place];
  }

  Entry& operator[](std::uint32_t index) noexcept { return entries_[index]; }
  const Entry& operator[](std::uint32_t index) const noexcept { return entries_[index]; }
  std::vector<Entry>& entries() noexcept { return entries_; }
  const std::vector<Entry>& entries() const noexcept { return entries_; }

  /// Adds the counts of another table.
  void add(const GroupTable& other) {
    for (const Entry& entry : other.entries_) {
      Entry& mine = entries_[index_of(entry.hash)];
      mine.members += entry.members;
      mine.universe += entry.universe;
    }
  }

 private:
  static constexpr std::size_t kFirstPlaces = 16;

  void grow() {
    places_.assign(2 * places_.size(), kEmpty);
    for (std::uint32_t i = 0; i < entries_.size(); ++i) {
      std::size_t place = entries_[i].hash & (places_.size() - 1);
      while (places_[place] != kEmpty) place = (place + 1) & (places_.size() - 1);
      places_[place] = i;
    }
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> places_;
  std::uint32_t last_ = 0;
};

}  // namespace crivo::exact
