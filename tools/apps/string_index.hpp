// SPDX-License-Identifier: Apache-2.0
/// Many strings to be searched for: a file that has them, and a filter over the fingerprints of
/// all.
///
/// A string is known by its Karp-Rabin fingerprint, which a scan has for any window of a text in
/// constant time. The file is a line "crivo-scan 1"; the bytes of the strings, as 8 bytes, the
/// lowest first; the strings, a line each, ordered by length, fingerprint and bytes; and a filter
/// file of Crivo's, whose keys are the fingerprints as numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/build/options.hpp"
#include "crivo/filter.hpp"

namespace crivo::apps {

/// Fingerprints (Karp and Rabin, 1987): the bytes as digits of a number, modulo 2^61 - 1.
namespace fingerprint {

inline constexpr std::uint64_t kModulus = (std::uint64_t{1} << 61) - 1;
/// The digits' base, a number without meaning below the modulus.
inline constexpr std::uint64_t kBase = 0x0c76f3d1a95e4b27;

/// a * b, reduced; both are below the modulus.
constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide wide = Wide{a} * b;
  const std::uint64_t sum =
      static_cast<std::uint64_t>(wide & kModulus) + static_cast<std::uint64_t>(wide >> 61);
  return sum >= kModulus ? sum - kModulus : sum;
}
/// The fingerprint of a string and one byte more.
constexpr std::uint64_t append(std::uint64_t prefix, char byte) noexcept {
  const std::uint64_t sum = product(prefix, kBase) + static_cast<unsigned char>(byte) + 1;
  return sum >= kModulus ? sum - kModulus : sum;
}
/// That of the string that is left when `prefix` is taken off `whole`; `power` is kBase to the
/// length of what is left.
constexpr std::uint64_t without(std::uint64_t whole, std::uint64_t prefix,
                                std::uint64_t power) noexcept {
  const std::uint64_t shifted = product(prefix, power);
  return whole >= shifted ? whole - shifted : whole + kModulus - shifted;
}
std::uint64_t of(std::string_view text) noexcept;

}  // namespace fingerprint

class StringIndex {
 public:
  /// The strings of one length.
  struct Group {
    std::size_t length = 0;
    std::uint64_t power = 0;  ///< fingerprint::kBase to the length
    std::size_t first = 0;    ///< of its strings, by number
    std::size_t count = 0;
    std::size_t begin = 0;  ///< of its strings in the text of all
  };

  /// The bytes of an index of a file of strings, one a line. Throws Error(bad_input) for a string
  /// of more than kMaxKeyBytes.
  static std::string build(const std::string& strings, const FilterOptions& filter);

  /// Opens those of a file, which messages call `name`: O(size of the strings). Throws Error:
  /// corrupt, if the strings are not in order or the filter lacks one (so that what is found is
  /// exact, whatever the file holds), too_new, too_old.
  StringIndex(std::string bytes, const std::string& name);
  StringIndex(const StringIndex&) = delete;
  StringIndex& operator=(const StringIndex&) = delete;

  /// Whether a string but the empty one may have the fingerprint; without any, nothing passes.
  bool may_hold(std::uint64_t print) const noexcept { return filter_.contains(print); }
  /// By ascending length, from 1 on.
  const std::vector<Group>& groups() const noexcept { return groups_; }
  /// Whether the empty string is one of them.
  bool has_empty() const noexcept { return has_empty_; }
  std::size_t longest() const noexcept { return groups_.empty() ? 0 : groups_.back().length; }

  std::string_view string(const Group& group, std::size_t i) const noexcept {
    return {text_.data() + group.begin + i * (group.length + 1), group.length};
  }
  /// Whether `window`, which has this fingerprint and the group's length, is one of the strings.
  bool holds(const Group& group, std::uint64_t print, std::string_view window) const noexcept;

 private:
  std::string bytes_;
  std::string_view text_;  ///< the strings
  Filter filter_;
  std::vector<std::uint64_t> prints_;  ///< of all strings
  std::vector<Group> groups_;
  bool has_empty_ = false;
};

}  // namespace crivo::apps
