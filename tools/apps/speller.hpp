// SPDX-License-Identifier: Apache-2.0
/// The faults of words that are not in a dictionary.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apps/word_index.hpp"

namespace crivo::apps {

/// Tells words of a dictionary from others, exactly: the filter's "no" ends it, and its "maybe" is
/// confirmed by the store. (A store, and not an MPHF with the list of words, since it compares the
/// key itself, checks its bytes at every read, and is one thing that is built and opened whole.)
class Speller {
 public:
  struct Counts {
    std::uint64_t asked = 0;   ///< words and candidates asked of the filter
    std::uint64_t passed = 0;  ///< of these, each looked up in the store
    std::uint64_t found = 0;   ///< of these, words; the others were false positives
  };

  /// Builds a dictionary of words, in which they are found by their sounds too, and which knows the
  /// letters of its language: those of at least one word in 500; see
  /// make_directory(). No word has a TAB, a CR, an LF, or begins with the byte 1.
  static void build(const std::set<std::string>& words, const std::filesystem::path& directory,
                    const FilterOptions& filter);

  /// `index` must outlive it. Suggestions add letters of `alphabet` alone, or where that is empty
  /// those that build() found in the dictionary (else a to z and the apostrophe); there are no more
  /// of them than `suggestions`. Throws what WordIndex::find() throws.
  Speller(WordIndex& index, std::string_view alphabet, std::size_t suggestions);

  /// Nothing for a word of the dictionary, for another what to say of it: ": SUGGESTION, ...", or
  /// an empty text. Suggested are all words that one slip or two (of up to 24 letters; else one)
  /// make of it, those that sound alike, if the dictionary has sounds, and pairs of words written
  /// as one; first what is likeliest meant (slip_cost()). A word that begins with a capital is one
  /// of the dictionary if it is there in lower case, and a word in capitals also if only its first
  /// letter is one there. Throws what WordIndex::find() throws.
  const std::optional<std::string>& fault(std::string_view word);

  const Counts& counts() const noexcept { return counts_; }

 private:
  std::optional<std::string> find_fault(const std::u32string& word);
  std::vector<std::u32string> suggestions(const std::u32string& word);
  std::vector<std::u32string> words_that_sound(const std::string& sound);
  std::vector<std::u32string> pairs_of_words(const std::u32string& word);
  std::vector<bool> are_words(const std::vector<std::u32string>& words);

  WordIndex& index_;
  std::u32string alphabet_;
  std::size_t suggestions_;
  /// The words met before: a text has few, many times.
  std::unordered_map<std::string, std::optional<std::string>> faults_;
  Counts counts_;
};

}  // namespace crivo::apps
