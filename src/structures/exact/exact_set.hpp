// SPDX-License-Identifier: Apache-2.0
/// Looks keys up in the sections of an exact set (formats/exact.md).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/page_checks.hpp"
#include "crivo/detail/exact_lookup.hpp"
#include "crivo/inspect.hpp"
#include "hashing/hash128.hpp"
#include "hashing/key_hash.hpp"
#include "structures/exact/groups.hpp"
#include "structures/ribbon/table.hpp"

namespace crivo::exact {

/// The sections, which must outlive whoever reads them.
struct Sections {
  base::CheckedBytes groups;
  /// Returns the filter with the tag (filter_of()); nothing where there is none.
  std::function<std::optional<base::CheckedBytes>(unsigned tag)> filter;
  std::optional<base::CheckedBytes> bit;
};

/// Knows of every key of its universe whether it is a member. Immutable; safe for any number of
/// threads. Whatever the bytes hold, no byte outside them is read. If they have checks, it touches
/// what is read: the groups are all touched when it is made.
class ExactSet {
 public:
  /// One for each class.
  static constexpr unsigned kRules = static_cast<unsigned>(Class::all) + 1;

  /// Throws Error(corrupt) unless the sections are sound and go together. O(groups).
  explicit ExactSet(const Sections& sections);

  const Totals& totals() const noexcept { return groups_.totals(); }
  const Groups& groups() const noexcept { return groups_; }
  base::Pages pages() const noexcept { return pages_; }
  /// The designed rate of outside keys that are taken for members: that of the class whose rate is
  /// highest among those that are in use.
  double outside_rate() const noexcept;

  /// Adds what there is to say of it: its universe, groups of each sort, keys that have a bit.
  void describe(std::vector<Parameter>& parameters) const;

  /// Whether a key with that hash, of a group of that class, is a member.
  bool contains(Class kind, Hash128 hash) const noexcept {
    const std::uint8_t settled = rule(kind).settle(hash.hi);
    return settled < detail::kWholeHash ? settled != 0 : by_bit(hash);
  }
  /// Returns the rule by which the first half of a hash settles; for others there is by_bit(). Of
  /// use as long as the set is.
  const detail::ExactRule& rule(Class kind) const noexcept {
    return rules_[static_cast<unsigned>(kind)];
  }
  bool by_bit(Hash128 hash) const noexcept { return (bit_->value(hash) & 1) != 0; }

  /// Whether each of some keys of a class passes its filter, by the first halves of their hashes
  /// alone; returns whether those that do have a bit, and so `passed` is not yet the answer.
  bool ask_filter(Class kind, std::span<const Hash128> hashes, bool* passed) const noexcept;
  /// The bits of keys that have one, likewise: 0, 1, or at least kWholeHash for whom by_bit()
  /// knows.
  void bits(std::span<const Hash128> hashes, std::uint8_t* bits) const noexcept {
    bit_->bits(hashes, bits);
  }

  /// Keys that settle() takes at most.
  static constexpr std::size_t kAtOnce = 1024;
  /// answers[i] = contains(kind, hashes[i]) of all whom the first halves of their hashes settle,
  /// with the cache misses overlapped. The numbers of the others come into `rest`, which has room
  /// for all; returns how many they are.
  std::size_t settle(Class kind, std::span<const Hash128> hashes, bool* answers,
                     std::uint16_t* rest) const noexcept;
  /// answers[i] = contains(kind, hashes[i]), likewise, of any number of keys.
  void contains(Class kind, std::span<const Hash128> hashes, bool* answers) const noexcept;

 private:
  void set_rule(Class kind, const Sections& sections);
  std::size_t ask_bits(std::span<const Hash128> hashes, std::span<const std::uint16_t> passed,
                       bool* answers, std::uint16_t* rest) const noexcept;

  Groups groups_;
  base::Pages pages_;
  std::array<detail::ExactRule, kRules> rules_;
  std::array<bool, kRules> used_{};
  std::array<std::unique_ptr<const ribbon::Table>, kRules> filters_;
  std::unique_ptr<const ribbon::Table> bit_;
};

}  // namespace crivo::exact
