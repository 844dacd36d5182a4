// SPDX-License-Identifier: Apache-2.0
/// An exact set with the flips of its deltas: an answer is that of the set, and the other one for a
/// key that an odd number of lists hold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "structures/exact/exact_set.hpp"
#include "structures/exact/flip_table.hpp"

namespace crivo::exact {

/// The class and the flips that answer for the keys of a group.
struct Answering {
  Class kind = Class::none;  ///< of a group that a delta added, too
  std::uint32_t place = FlipTable::kNone;
};

class LayeredSet {
 public:
  /// Both must outlive it.
  LayeredSet(const ExactSet& set, const FlipTable& flips) noexcept : set_(set), flips_(flips) {}

  std::uint64_t groups() const noexcept { return set_.groups().size() + flips_.added_groups(); }
  /// As Groups::number_of(), and of groups that deltas added.
  std::optional<std::uint64_t> number_of(std::uint64_t hash) const noexcept {
    const auto number = set_.groups().number_of(hash);
    return number || flips_.added_groups() == 0 ? number : flips_.added_group(hash);
  }
  Answering answering(std::uint64_t number) const noexcept {
    return {number < set_.groups().size() ? set_.groups().kind(number) : Class::none,
            flips_.place_of(number)};
  }

  bool contains(const Answering& by, const Hash128& hash) const noexcept {
    return set_.contains(by.kind, hash) != flips_.is_flipped(by.place, hash);
  }
  /// Whether that rests on damaged bytes.
  bool is_damaged(const Answering& by, const Hash128& hash) const noexcept {
    return base::rests_on_damage(set_.pages().checks(),
                                 [&] { (void)set_.contains(by.kind, hash); });
  }
  /// Returns the lookup by the first halves of keys' hashes, good as long as both stay where they
  /// are.
  detail::ExactLookup lookup(const Answering& by) const noexcept {
    return {set_.rule(by.kind), flips_.bits_of(by.place), &set_.pages().damage()};
  }

  const ExactSet& set() const noexcept { return set_; }
  const FlipTable& flips() const noexcept { return flips_; }

 private:
  const ExactSet& set_;
  const FlipTable& flips_;
};

}  // namespace crivo::exact
