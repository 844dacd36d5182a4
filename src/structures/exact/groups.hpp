// SPDX-License-Identifier: Apache-2.0
/// The section that says how the keys of each group are answered for (formats/exact.md).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/page_checks.hpp"

namespace crivo::exact {

inline constexpr unsigned kMostWidth = 32;

/// The meanings of the byte of a group.
enum class Class : std::uint8_t {
  bit_only = 0,  ///< all of its keys have a bit
  // 1 to 32: a filter of so many bits over the members, 33 to 64: over the others, of 32 less.
  none = 65,  ///< no key of it is a member
  all = 66,   ///< every one is
};

constexpr Class class_of_width(unsigned width, bool inverted) noexcept {
  return static_cast<Class>(width == 0 ? 0 : width + (inverted ? kMostWidth : 0));
}
/// The tag of the filter that a class asks (ribbon.md, section type 32); 0: none.
constexpr unsigned filter_of(Class of) noexcept {
  const auto number = static_cast<unsigned>(of);
  return number <= 2 * kMostWidth ? number : 0;
}
constexpr bool is_inverted(Class of) noexcept {
  return filter_of(of) > kMostWidth;
}
constexpr unsigned width_of(Class of) noexcept {
  return filter_of(of) - (is_inverted(of) ? kMostWidth : 0);
}
constexpr bool is_class(unsigned number) noexcept {
  return number <= static_cast<unsigned>(Class::all);
}

/// A group by the first half of its name's hash. Of a set without groups the one group has 0.
struct Group {
  std::uint64_t hash = 0;
  Class kind = Class::none;
};

/// The numbers that the section has of the whole set.
struct Totals {
  bool grouped = false;
  std::uint64_t members = 0;
  std::uint64_t universe = 0;  ///< keys of the universe as it was read, repeats counted
  std::uint64_t passing = 0;   ///< keys that have a bit
};

/// Such a section, which must outlive it.
class Groups {
 public:
  /// Touches all of it. Throws Error(corrupt). O(groups).
  explicit Groups(const base::CheckedBytes& section);

  const Totals& totals() const noexcept { return totals_; }
  /// 1 of a set without groups.
  std::uint64_t size() const noexcept { return count_; }
  Class kind(std::uint64_t index) const noexcept {
    return static_cast<Class>(base::load_le<std::uint8_t>(kinds_ + index));
  }
  std::uint64_t hash(std::uint64_t index) const noexcept {
    return base::load_le<std::uint64_t>(hashes_ + 8 * index);
  }
  /// The number of the group whose name has a hash with that first half; nothing if there is none.
  /// Is 0 in a set without groups, whatever the hash.
  /// O(1) of up to some 10^5 groups whose hashes are as even as random ones, O(log groups) of any.
  std::optional<std::uint64_t> number_of(std::uint64_t hash) const noexcept;
  /// The class of that group.
  std::optional<Class> find(std::uint64_t hash) const noexcept {
    const auto number = number_of(hash);
    return number ? std::optional(kind(*number)) : std::nullopt;
  }

 private:
  void list_begins();

  Totals totals_;
  std::uint64_t count_ = 0;
  const std::byte* hashes_ = nullptr;
  const std::byte* kinds_ = nullptr;
  /// Where the groups begin whose hashes have each number for their first bits, and where the last
  /// end.
  std::vector<std::uint64_t> begins_;
  unsigned begin_bits_ = 0;
};

}  // namespace crivo::exact
