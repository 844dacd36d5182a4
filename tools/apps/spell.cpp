// SPDX-License-Identifier: Apache-2.0
// crivo-spell: the words of a text that are not in a dictionary, with those that are one slip away.

#include <cstdint>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "apps/program.hpp"
#include "apps/speller.hpp"
#include "apps/text.hpp"
#include "apps/word_index.hpp"
#include "crivo/error.hpp"
#include "program/exit_code.hpp"

namespace crivo::apps {
namespace {

struct SpellOptions {
  std::string dictionary;
  std::string filter_file;
  std::string store;
  std::string alphabet;
  std::size_t suggestions = 5;
  bool stats = false;
  std::vector<std::string> files;

  std::vector<std::string> lists;
  std::string output;
  FilterOptions filter;
};

int build_words(const SpellOptions& options) {
  std::set<std::string> words;
  for (const std::string& list : options.lists) {
    Lines lines(list);
    std::string_view line;
    while (lines.next(line)) {
      if (line.find_first_of("\t\r") != std::string_view::npos) {
        throw Error(ErrorKind::bad_input, lines.place() + ": not a word: it has a TAB or a CR");
      }
      if (line.starts_with('\x01')) {
        throw Error(ErrorKind::bad_input,
                    lines.place() + ": not a word: it begins with the byte 1");
      }
      if (!line.empty()) words.emplace(line);
    }
  }
  if (words.empty()) {
    throw Error(ErrorKind::bad_input, options.lists.front() + ": no words, and so no dictionary");
  }
  Speller::build(words, options.output, options.filter);
  return 0;
}

/// Calls `visit` with each word of a line and its column, in characters from 1. A word is letters,
/// with apostrophes between them; beside digits or _ it is a name of something, and none.
template <typename Visit>
void for_each_word(std::string_view line, const Visit& visit) {
  std::string word;
  bool is_word = true;
  std::size_t column = 1;
  std::size_t begin = 1;
  for (std::size_t i = 0; i <= line.size(); ++column) {
    const Character character = i < line.size() ? decode(line.substr(i)) : Character{U' ', 1};
    i += character.bytes;
    const bool is_digit = character.code >= U'0' && character.code <= U'9';
    if (is_letter(character.code) || is_digit || character.code == U'_') {
      if (word.empty()) begin = column;
      append(word, character.code);
      is_word = is_word && !is_digit && character.code != U'_';
      continue;
    }
    const bool is_apostrophe = character.code == U'\'' || character.code == U'\u2019';
    if (is_apostrophe && !word.empty() && i < line.size() &&
        is_letter(decode(line.substr(i)).code)) {
      word += '\'';
      continue;
    }
    if (!word.empty() && is_word) visit(word, begin);
    word.clear();
    is_word = true;
  }
}

int check(const SpellOptions& options) {
  if (options.dictionary.empty() == (options.filter_file.empty() || options.store.empty())) {
    throw Error(ErrorKind::usage, "name --dictionary, or both of --filter and --store");
  }
  WordIndex index = options.dictionary.empty() ? WordIndex(options.filter_file, options.store)
                                               : WordIndex(options.dictionary);
  if (index.size() == 0) {
    throw Error(ErrorKind::bad_input, "the dictionary is empty: every word would be marked");
  }
  Speller speller(index, options.alphabet, options.suggestions);
  std::uint64_t words = 0;
  std::uint64_t faults = 0;
  Output out;
  for (const std::string& file : options.files) {
    Lines lines(file);
    std::string_view line;
    while (lines.next(line)) {
      for_each_word(line, [&](const std::string& word, std::size_t column) {
        ++words;
        const std::optional<std::string>& fault = speller.fault(word);
        if (!fault) return;
        ++faults;
        out.write(lines.place() + ":" + std::to_string(column) + ": " + word + *fault + "\n");
      });
    }
  }
  out.flush();
  if (options.stats) {
    const Speller::Counts& counts = speller.counts();
    std::fprintf(stderr,
                 "words: %ju\nnot in the dictionary: %ju\nasked of the filter: %ju\n"
                 "look-ups: %ju\nfalse positives: %ju\n",
                 std::uintmax_t{words}, std::uintmax_t{faults}, std::uintmax_t{counts.asked},
                 std::uintmax_t{counts.passed}, std::uintmax_t{counts.passed - counts.found});
  }
  return faults == 0 ? 0 : exit_code(ErrorKind::mismatch);
}

int start_spell(int argc, char** argv) {
  options::Program program(
      "crivo-spell",
      "Names the words of a text that are not in a dictionary, with words that are: those that "
      "two\n"
      "slips of a typist make of it (a letter replaced, inserted or left out, or two exchanged),\n"
      "those that sound alike, and two words written as one; the likeliest first. A filter over "
      "the\n"
      "dictionary tells at once what is in no dictionary; a store of its words confirms the "
      "rest.\n\n"
      "Example:\n"
      "  crivo-spell build /usr/share/dict/american-english -o english\n"
      "  crivo-spell --dictionary english letter.txt",
      "A line a word: FILE:LINE:COLUMN: WORD: SUGGESTION, ... Lines and columns (characters) "
      "count\n"
      "from 1. A word that begins with a capital, or is in capitals, may be in the dictionary in\n"
      "lower case too.\n"
      "Exit codes: 0 all words are in the dictionary, 1 some are not, 2 usage, 3 bad input, 4 a\n"
      "corrupt index, 5 I/O or resources.");
  SpellOptions options;
  program.option("FILE", options.files, "texts; standard input if there are none, or for -");
  program.option("-d,--dictionary", options.dictionary, "directory that `build` made");
  program.option("--filter", options.filter_file,
                 "instead: a filter of `crivo build filter`, and with it --store");
  program.option("--store", options.store,
                 "the store of `crivo build store` with the filter's words as keys");
  program.option("--alphabet", options.alphabet,
                 "letters that a suggestion may add, in place of those of the dictionary");
  program.option("-n,--suggestions", options.suggestions, "the most for a word").shows_default();
  program.flag("--stats", options.stats,
               "say on standard error what was asked of the filter, how many look-ups that took, "
               "and how many of them were in vain");
  options::Command build_command =
      program.subcommand("build",
                         "make a dictionary of lists of words, one a line\n\n"
                         "Example: crivo-spell build /usr/share/dict/american-english -o english");
  build_command.option("LIST", options.lists, "words").required();
  build_command.option("-o,--output", options.output, "directory to make").required();
  add_filter_options(build_command, options.filter);
  return program.run(argc, argv, [&] {
    if (options.files.empty()) options.files = {"-"};
    return build_command.given() ? build_words(options) : check(options);
  });
}

}  // namespace
}  // namespace crivo::apps

int main(int argc, char** argv) {
  return crivo::apps::start_spell(argc, argv);
}
