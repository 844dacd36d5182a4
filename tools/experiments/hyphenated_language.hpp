// SPDX-License-Identifier: Apache-2.0
/// A language's words to hyphenate, by patterns and exceptions: what the thesis puts a filter
/// before.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apps/patterns.hpp"
#include "experiments/filters.hpp"
#include "experiments/results.hpp"

namespace crivo::experiments {

/// Immutable. The exceptions stand in a dictionary in memory.
class HyphenatedLanguage {
 public:
  /// The thesis's: English by the patterns of TeX, with the exceptions of the package hyphenex.
  /// Debian's file has both, the exceptions as patterns of whole words. `count` words of Debian's
  /// longest list, evenly spaced. Throws Error(io) that names a package that is not installed.
  static HyphenatedLanguage english(std::uint64_t count);
  /// Portuguese, as Brazil hyphenates it, by the few patterns of hyphen-pt-pt: the words of
  /// wbrazilian that the many patterns of hyphen-pt-br break otherwise are the exceptions. Every
  /// `stride`th word. Throws Error(io) likewise.
  static HyphenatedLanguage portuguese(std::uint64_t stride);
  /// What english() begins with, to be timed.
  static void load_english_patterns();

  std::uint64_t patterns() const noexcept { return patterns_.size(); }
  std::uint64_t exceptions() const noexcept { return exceptions_.size(); }
  std::uint64_t words() const noexcept { return words_.size(); }
  /// Hyphens in all words by better patterns, which the exceptions were taken from; 0 where there
  /// are none.
  std::uint64_t hyphens() const noexcept { return hyphens_; }

  /// What the thesis times as the initialisation: hashes all exceptions and makes the filter.
  BuiltFilter build(const FilterOptions& options, const hashing::SeededHash& hash) const;

  using Filter = std::function<bool(std::string_view word)>;

  /// Asks a filter for all words, and does nothing else: `asking_seconds`, and the `positives`.
  void ask(const Filter& may_contain, Json& json) const;
  /// All words, with the exceptions behind a filter, or without exceptions: `seconds`, the
  /// `hyphens`, and how many words were looked up (`lookups`) and `found`.
  Json hyphenate(const Filter& may_contain) const;

 private:
  struct TextHash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the standard's name
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };

  explicit HyphenatedLanguage(apps::Patterns patterns) : patterns_(std::move(patterns)) {}

  apps::Patterns patterns_;
  std::vector<std::string> words_;
  std::uint64_t hyphens_ = 0;
  std::unordered_map<std::string, std::string, TextHash, std::equal_to<>> exceptions_;
};

}  // namespace crivo::experiments
