// SPDX-License-Identifier: Apache-2.0
/// Numbers distinct values by order of appearance: a hash table for one purpose.
#pragma once

#include <cstdint>
#include <vector>

#include "base/arithmetic.hpp"

namespace crivo::csf {

/// Linear probing in a table of fixed size, at most half full.
class ValueIndex {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// Room for `capacity` values, at most 2^30.
  explicit ValueIndex(std::uint32_t capacity) {
    while (std::uint64_t{1} << bits_ < 2 * std::uint64_t{capacity}) ++bits_;
    slots_.assign(std::size_t{1} << bits_, kNone);
  }

  /// The distinct values so far, in the order of their numbers.
  const std::vector<std::uint64_t>& values() const noexcept { return values_; }

  /// The value's number, or kNone.
  std::uint32_t find(std::uint64_t value) const noexcept { return slots_[slot_of(value)]; }

  /// The value's number, given now if it had none. There must be room for it.
  std::uint32_t insert(std::uint64_t value) {
    std::uint32_t& number = slots_[slot_of(value)];
    if (number == kNone) {
      number = static_cast<std::uint32_t>(values_.size());
      values_.push_back(value);
    }
    return number;
  }

 private:
  std::size_t slot_of(std::uint64_t value) const noexcept {
    std::size_t at = base::top_bits(base::mix64(value), bits_);
    while (slots_[at] != kNone && values_[slots_[at]] != value) at = (at + 1) % slots_.size();
    return at;
  }

  unsigned bits_ = 1;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint64_t> values_;
};

}  // namespace crivo::csf
