// SPDX-License-Identifier: Apache-2.0
/// The patterns of a language for hyphenation (F. M. Liang: Word Hy-phen-a-tion by Com-put-er,
/// Stanford 1983).
///
/// A pattern such as `1ti4o` stands for the letters "tio" anywhere in a word, `.` for either end of
/// it. Its digits are levels at the places between letters. At each place of a word the highest
/// level of the patterns that match there counts: odd, a hyphen may stand there; even, none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace crivo::apps {

/// The letters (in lower case) that patterns know, a byte each.
class Alphabet {
 public:
  static constexpr std::uint8_t kOther = 0;  ///< any letter of no pattern
  static constexpr std::uint8_t kEnd = 1;    ///< either end of a word

  Alphabet() { ascii_[U'.'] = kEnd; }

  std::uint8_t operator[](char32_t letter) const noexcept {
    if (letter < ascii_.size()) return ascii_[letter];
    const auto found = others_.find(letter);
    return found == others_.end() ? kOther : found->second;
  }
  /// The letter's, which is a new one where it had none; kOther if none is left.
  std::uint8_t add(char32_t letter);
  /// The greatest that a letter has.
  std::uint8_t greatest() const noexcept { return greatest_; }

 private:
  std::array<std::uint8_t, 128> ascii_{};
  std::unordered_map<char32_t, std::uint8_t> others_;
  std::uint8_t greatest_ = kEnd;
};

/// How a word is spelt otherwise where it is broken: "asszony", "asz-szony".
struct Change {
  std::size_t start = 0;  ///< the pattern's letter, from 0, at which begins what is replaced,
  std::size_t cut = 0;    ///< of so many letters
  std::string before;     ///< what stands there instead, before the hyphen
  std::string after;      ///< and after it
};

/// A pattern as a file spells it: letters, and the level before each of them and after the last.
struct Pattern {
  std::u32string letters;
  std::vector<std::uint8_t> levels{0};
  std::optional<Change> change;  ///< of its letters without a `.` before them
};

/// Patterns that are matched together, in a trie. Filled once; then any number of threads may use
/// it.
class PatternSet {
 public:
  /// Which of the patterns that match count.
  enum class Rule {
    every,  ///< all, as in TeX
    /// The pattern that begins first of those that end at one place, unless a part of a longer
    /// pattern begins before it and ends there too: as in libhyphen, whose files are made so that
    /// it tells the same as TeX of the patterns they come from, or are written with it in mind.
    longest,
  };
  /// The change that may be made at a place of a word.
  struct Replacement {
    const Change* change = nullptr;  ///< nothing
    std::size_t begin = 0;           ///< the symbol of the word at which it begins
  };

  /// The longest pattern, in letters: its length and its levels' places are counted in bytes.
  static constexpr std::size_t kMaxLetters = 250;

  /// Takes patterns with letters of their own each, none longer than kMaxLetters, and all of their
  /// letters in the alphabet.
  PatternSet(std::span<const Pattern> patterns, const Alphabet& alphabet, Rule rule);

  std::size_t size() const noexcept { return size_; }
  bool has_changes() const noexcept { return changes_.size() > 1; }

  /// Raises levels[i], the level before the i-th symbol of `word` (with kEnd before and after its
  /// letters), to the highest of the patterns that match, and sets replacements[i] to what that one
  /// says, if it makes a hyphen. Each is as long as `word`, and one longer, but `replacements` may
  /// be empty where has_changes() is not. Time: of each place, that of the longest pattern that
  /// begins to match there.
  void score(std::span<const std::uint8_t> word, std::span<std::uint8_t> levels,
             std::span<Replacement> replacements) const noexcept;

 private:
  /// A state of the trie, packed: the state after `s` is slot `children + s`, if that slot's parent
  /// is this one (the double array of Liang's chapter 2).
  struct Slot {
    std::uint32_t parent = UINT32_MAX;
    std::uint32_t children = 0;
    std::uint32_t levels = 0;  ///< of the pattern that ends here: place in levels_; 0: none
  };
  class Trie;

  std::uint32_t add_levels(const Pattern& pattern);
  void pack(const Trie& trie, std::size_t symbols);

  std::vector<Slot> slots_;
  /// Each pattern has the number of its change in two bytes, how many leading levels are 0, how
  /// many follow, and those.
  std::vector<std::uint8_t> levels_{0};
  std::vector<Change> changes_{1};  ///< the first is none
  Rule rule_;
  std::size_t size_;
};

/// A language's patterns and what its file says beside them, immutable once loaded: any number of
/// threads may use them.
class Patterns {
 public:
  /// The ways in which load() can take the words that a file spells whole: TeX's \hyphenation, and
  /// in a file of libhyphen's patterns with `.` at both ends and levels above 7
  /// (`.as9s8o9c8i8a8te.`), which is how Debian's file for American English has the exceptions that
  /// its makers took from TUGboat's hyphenation log.
  enum class Whole {
    apply,      ///< they are patterns like others, and higher
    leave_out,  ///< only whole_words() has them
  };

  /// Reads a file of patterns, of TeX's or of libhyphen's format (pattern_file.hpp). Throws Error:
  /// io, or bad_input that names file and line (from 1).
  static Patterns load(const std::filesystem::path& path, Whole whole = Whole::apply);

  const Alphabet& alphabet() const noexcept { return alphabet_; }
  /// The patterns of words.
  const PatternSet& words() const noexcept { return words_; }
  /// Those that divide compounds into words before; null if the file has none.
  const PatternSet* compounds() const noexcept { return compounds_ ? &*compounds_ : nullptr; }

  /// The fewest letters of a word before its first hyphen and after its last,
  std::size_t left_min() const noexcept { return left_min_; }
  std::size_t right_min() const noexcept { return right_min_; }
  /// and between a hyphen of a compound's word and the ends of it that are within the compound.
  std::size_t compound_left_min() const noexcept { return compound_left_min_; }
  std::size_t compound_right_min() const noexcept { return compound_right_min_; }
  /// Texts that have no hyphen beside them.
  const std::vector<std::string>& unhyphenated() const noexcept { return unhyphenated_; }

  /// Patterns in use.
  std::size_t size() const noexcept {
    return words_.size() + (compounds_ ? compounds_->size() : 0);
  }
  /// The words that the file spells whole, hyphenated ("as-so-ciate"), in its order.
  const std::vector<std::string>& whole_words() const noexcept { return whole_words_; }

 private:
  explicit Patterns(PatternSet words) : words_(std::move(words)) {}

  Alphabet alphabet_;
  PatternSet words_;
  std::optional<PatternSet> compounds_;
  std::size_t left_min_ = 2;
  std::size_t right_min_ = 2;
  std::size_t compound_left_min_ = 0;
  std::size_t compound_right_min_ = 0;
  std::vector<std::string> unhyphenated_;
  std::vector<std::string> whole_words_;
};

}  // namespace crivo::apps
