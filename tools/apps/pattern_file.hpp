// SPDX-License-Identifier: Apache-2.0
/// Files of hyphenation patterns, as they are written.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/patterns.hpp"

namespace crivo::apps {

/// The content of a file of patterns.
struct PatternFile {
  std::vector<Pattern> words;
  std::vector<Pattern> compounds;
  /// Those that spell a word whole, which are not in `words`: of levels above 7, odd for a hyphen.
  std::vector<Pattern> whole_words;
  PatternSet::Rule rule = PatternSet::Rule::every;
  std::size_t left_min = 2;
  std::size_t right_min = 2;
  std::size_t compound_left_min = 0;
  std::size_t compound_right_min = 0;
  std::vector<std::string> unhyphenated;
};

/// Reads a file of either format:
///
/// TeX's, in UTF-8, if its first line begins with % or \: the patterns of \patterns{...}, the words
/// of \hyphenation{...}, \lefthyphenmin and \righthyphenmin (2 and 3 where they are missing), and
/// ^^xx for the character of that code; all else is passed over. A pattern's letters twice, or two
/// levels at one place, are an error, as they are in TeX.
///
/// libhyphen's: first the encoding (UTF-8, or one of 8 bits that iconv knows), then lines
///   LEFTHYPHENMIN n, RIGHTHYPHENMIN n                    2 where they are missing
///   COMPOUNDLEFTHYPHENMIN n, COMPOUNDRIGHTHYPHENMIN n    0 where they are missing
///   NOHYPHEN text,text                                   texts without a hyphen beside them
///   NEXTLEVEL        what stood before are the patterns of compounds, what follows those of words
///   pat1tern         up to the first space; of those with the same letters the last one counts
///   pat1tern/ab=c    with another spelling of all its letters where the word is broken
///   pat1tern/ab=c,start,cut         or of so many, from that one on (from 1)
/// and comments after % or #.
///
/// Throws Error: io, or bad_input that names file and line (from 1).
PatternFile read_patterns(const std::filesystem::path& path);

}  // namespace crivo::apps
