// SPDX-License-Identifier: Apache-2.0
/// Hyphenation by patterns, with its exceptions behind an approximate-membership filter: the
/// filter's "no" ends the search for an exception, and its "maybe" costs one look-up in the exact
/// store, whose answer counts. So a false positive costs time and never a wrong hyphen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/patterns.hpp"

namespace crivo::apps {

/// The letters of a hyphenated word in lower case, "ta-ble" -> "table": what an exception is looked
/// up by. Nothing if it is not made of letters (UTF-8) with single hyphens between them.
std::optional<std::string> unhyphenated(std::string_view hyphenated);

/// The words that patterns get wrong. Both functions are given a word in lower case.
struct Exceptions {
  /// A filter's answer: false only if the word is surely no exception.
  std::function<bool(std::string_view word)> may_contain;
  /// The exact answer: the hyphenated word ("ta-ble"; valid until the next call), or nothing.
  std::function<std::optional<std::string_view>(std::string_view word)> find;
};

/// A place in a word where a hyphen may stand.
struct Point {
  std::size_t offset = 0;  ///< of the byte before which it stands
  /// The bytes that are spelt otherwise if the word is broken there: as `before`, the hyphen, and
  /// `after`. Where nothing is, as nearly everywhere, both are the offset, and the texts are empty.
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view before{};  ///< in lower case, of the patterns
  std::string_view after{};
};

/// Hyphenates words; one thread's, for it has room for a word in work. The patterns must outlive
/// it.
class Hyphenator {
 public:
  struct Counts {
    std::uint64_t words = 0;    ///< asked for
    std::uint64_t lookups = 0;  ///< words that passed the filter, each looked up once
    std::uint64_t found = 0;    ///< of these, exceptions; the others were false positives
  };

  /// Without exceptions: by patterns alone.
  explicit Hyphenator(const Patterns& patterns) : patterns_(patterns) {}
  Hyphenator(const Patterns& patterns, Exceptions exceptions)
      : patterns_(patterns), exceptions_(std::move(exceptions)) {}

  /// Where a hyphen may stand in `word`, ascending; valid until the next call: of an exception, the
  /// places that it is stored with; of other words, those of the patterns, which first divide a
  /// compound into words, and those again, as long as there are patterns of compounds that do. Of
  /// all only those that leave left_min() and right_min() letters, as in TeX. Throws what
  /// Exceptions::find throws, and Error(corrupt) if it gives the hyphens of another word.
  std::span<const Point> points(std::string_view word);

  const Counts& counts() const noexcept { return counts_; }

 private:
  using Replacement = PatternSet::Replacement;

  void read(std::string_view word);
  void score_exception(std::string_view hyphenated);
  void score(const PatternSet& patterns, std::size_t begin, std::size_t end);
  void divide(const PatternSet& compounds, std::size_t begin, std::size_t end);
  void forbid_beside_texts();
  std::size_t letter_at(std::size_t byte) const noexcept;
  std::size_t offset_of(std::size_t letter) const noexcept;
  void take_points();
  Point point_at(std::size_t letter) const noexcept;

  const Patterns& patterns_;
  std::optional<Exceptions> exceptions_;
  Counts counts_;
  std::string lowered_;                ///< the word
  std::size_t bytes_ = 0;              ///< that it has as it is
  std::vector<std::uint8_t> symbols_;  ///< its letters', between two Alphabet::kEnd
  std::vector<std::size_t> offsets_;   ///< its letters'
  /// The level before letter i, and what it replaces, stand at i + 1.
  std::vector<std::uint8_t> levels_;
  std::vector<Replacement> replacements_;
  std::vector<std::uint8_t> part_;  ///< a part of a compound, likewise: symbols,
  std::vector<std::uint8_t> part_levels_;
  std::vector<Replacement> part_replacements_;
  std::vector<Point> points_;
};

}  // namespace crivo::apps
