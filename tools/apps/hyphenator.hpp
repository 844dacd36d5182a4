/// Hyphenation by patterns (F. M. Liang: Word Hy-phen-a-tion by Com-put-er, Stanford 1983), with
/// its exceptions behind an approximate-membership filter: the filter's "no" ends the search for an
/// exception, and its "maybe" costs one look-up in the exact store, whose answer counts. So a false
/// positive costs time and never a wrong hyphen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace crivo::apps {

/// The patterns of a language, immutable once loaded: any number of threads may use them.
///
/// A pattern such as `1ti4o` stands for the letters "tio" anywhere in a word, `.` for either end of
/// it. Its digits are levels at the places between letters. At each place of a word the highest
/// level of all patterns that match there counts: odd, a hyphen may stand there; even, none.
class Patterns {
 public:
  /// What load() does with the words that a file spells whole (`.as9s8o9c8i8a8te.`): patterns with
  /// `.` at both ends and levels above 7, which is how Debian's file for American English has the
  /// exceptions that its makers took from TUGboat's hyphenation log.
  enum class Whole {
    apply,      ///< they are patterns like others
    leave_out,  ///< only whole_words() has them
  };

  /// Reads a file of libhyphen's format: the encoding (UTF-8, ISO8859-1 or ASCII), then lines
  /// `LEFTHYPHENMIN n` and `RIGHTHYPHENMIN n` (2 where they are missing), comments after %, and
  /// patterns, of which a later one replaces none: equal letters twice are an error. What this
  /// class does not do is refused by name: a second level (NEXTLEVEL, COMPOUND..., NOHYPHEN) and
  /// replacements (`/`). Throws Error: io, or bad_input that names file and line (from 1).
  static Patterns load(const std::filesystem::path& path, Whole whole = Whole::apply);

  /// The fewest letters of a word before its first hyphen and after its last.
  std::size_t left_min() const noexcept { return left_min_; }
  std::size_t right_min() const noexcept { return right_min_; }
  /// Patterns in use.
  std::size_t size() const noexcept { return size_; }
  /// The words that the file spells whole, hyphenated ("as-so-ciate"), in its order.
  const std::vector<std::string>& whole_words() const noexcept { return whole_words_; }

  /// What score() knows a letter (in lower case) by; 0 for those that are in no pattern.
  std::uint8_t symbol(char32_t letter) const noexcept {
    if (letter < ascii_symbols_.size()) return ascii_symbols_[letter];
    const auto found = other_symbols_.find(letter);
    return found == other_symbols_.end() ? 0 : found->second;
  }
  /// The symbol of either end of a word.
  static constexpr std::uint8_t kEnd = 1;

  /// Raises levels[i], the level before the i-th symbol of `word` (with kEnd before and after its
  /// letters), to the highest of the patterns that match. `levels` is as long as `word`, and one
  /// longer. Time: of each place, that of the longest pattern that begins to match there.
  void score(std::span<const std::uint8_t> word, std::span<std::uint8_t> levels) const noexcept;

 private:
  /// A state of the trie of all patterns, packed: the state after `s` is slot `children + s`, if
  /// that slot's parent is this one (the double array of Liang's chapter 2).
  struct Slot {
    std::uint32_t parent = UINT32_MAX;
    std::uint32_t children = 0;
    std::uint32_t levels = 0;  ///< of the pattern that ends here: place in levels_; 0: none
  };
  class Trie;

  Patterns() = default;
  std::uint8_t add_symbol(char32_t letter);
  void pack(const Trie& trie);

  std::vector<Slot> slots_;
  /// Of each pattern: how many leading levels are 0, how many follow, and those.
  std::vector<std::uint8_t> levels_{0};
  std::array<std::uint8_t, 128> ascii_symbols_{};
  std::unordered_map<char32_t, std::uint8_t> other_symbols_;
  std::size_t symbols_ = kEnd;
  std::size_t left_min_ = 2;
  std::size_t right_min_ = 2;
  std::size_t size_ = 0;
  std::vector<std::string> whole_words_;
};

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

  /// The byte offsets in `word` before which a hyphen may stand, ascending; valid until the next
  /// call: of an exception, those that it is stored with; of other words, those of the patterns. Of
  /// either only those that leave left_min() and right_min() letters, as in TeX. Throws what
  /// Exceptions::find throws, and Error(corrupt) if it gives the hyphens of another word.
  std::span<const std::size_t> points(std::string_view word);

  const Counts& counts() const noexcept { return counts_; }

 private:
  void read(std::string_view word);
  void score_exception(std::string_view hyphenated);
  void take_points();

  const Patterns& patterns_;
  std::optional<Exceptions> exceptions_;
  Counts counts_;
  std::string lowered_;                ///< the word
  std::vector<std::uint8_t> symbols_;  ///< its letters', between two kEnd
  std::vector<std::size_t> offsets_;   ///< its letters'
  std::vector<std::uint8_t> levels_;
  std::vector<std::size_t> points_;
};

}  // namespace crivo::apps
