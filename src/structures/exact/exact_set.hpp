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

#include "base/bytes.hpp"
#include "crivo/parameter.hpp"
#include "hashing/grouped_hash.hpp"
#include "hashing/hash128.hpp"
#include "structures/exact/groups.hpp"
#include "structures/ribbon/table.hpp"

namespace crivo::exact {

/// The sections, which must outlive whoever reads them.
struct Sections {
  base::ByteView groups;
  /// Of filters by their tags (filter_of()); nothing where there is none.
  std::function<std::optional<base::ByteView>(unsigned tag)> filter;
  std::optional<base::ByteView> bit;
};

/// Of every key of its universe it knows whether it is a member. Immutable; safe for any number of
/// threads. Whatever the bytes hold, no byte outside them is read.
class ExactSet {
 public:
  /// Throws Error(corrupt) unless the sections are sound and go together. O(groups).
  explicit ExactSet(const Sections& sections);

  const Totals& totals() const noexcept { return groups_.totals(); }
  const Groups& groups() const noexcept { return groups_; }
  /// The designed rate of outside keys that are taken for members: that of the class whose rate is
  /// highest among those that are in use.
  double outside_rate() const noexcept;

  /// Adds what there is to say of it: its universe, groups of each sort, keys that have a bit.
  void describe(std::vector<Parameter>& parameters) const;

  /// Whether a key with that hash, of a group of that class, is a member.
  bool contains(Class kind, Hash128 hash) const noexcept {
    const std::optional<bool> settled = by_first_half(kind, hash.hi);
    return settled ? *settled : by_bit(hash);
  }
  /// The same, where the first half of the hash settles it.
  std::optional<bool> by_first_half(Class kind, std::uint64_t hi) const noexcept {
    const Rule& rule = rules_[static_cast<unsigned>(kind)];
    if (rule.filter != nullptr && !rule.filter->contains({hi, 0})) return rule.otherwise;
    if (!rule.asks_bit) return rule.otherwise;
    return std::nullopt;
  }
  /// contains(kind, hash) of one whom by_first_half() does not settle.
  bool by_bit(Hash128 hash) const noexcept { return (bit_->value(hash) & 1) != 0; }
  /// answers[i] = contains(kind, hashes[i]), with the cache misses overlapped.
  void contains(Class kind, std::span<const Hash128> hashes, bool* answers) const noexcept;
  /// answers[i] = contains(kinds[i], hashes[i]), likewise, whatever the order of the classes.
  void contains(std::span<const Class> kinds, std::span<const Hash128> hashes,
                bool* answers) const noexcept;

 private:
  struct Rule {
    const ribbon::Table* filter = nullptr;
    bool otherwise = false;  ///< the answer for what the filter refuses, or for all
    bool asks_bit = false;
  };
  static constexpr unsigned kRules = static_cast<unsigned>(Class::all) + 1;

  void set_rule(Class kind, const Sections& sections);

  Groups groups_;
  std::array<Rule, kRules> rules_;
  std::array<bool, kRules> used_{};
  std::array<std::unique_ptr<const ribbon::Table>, kRules> filters_;
  std::unique_ptr<const ribbon::Table> bit_;
};

}  // namespace crivo::exact
