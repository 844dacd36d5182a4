// SPDX-License-Identifier: Apache-2.0
// crivo-hyphenate: text in, the same text with its words hyphenated out.

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/hyphenator.hpp"
#include "apps/program.hpp"
#include "apps/text.hpp"
#include "apps/word_index.hpp"
#include "crivo/error.hpp"

namespace crivo::apps {
namespace {

constexpr const char* kPatterns = "/usr/share/hyphen/hyph_en_US.dic";

struct HyphenateOptions {
  std::string patterns = kPatterns;
  std::string exceptions;
  std::string mark = "-";
  bool stats = false;
  std::vector<std::string> files;

  std::vector<std::string> lists;
  std::string output;
  FilterOptions filter;
};

/// Adds an exception; the same word with other hyphens is an error.
void add(std::map<std::string, std::string>& exceptions, std::string_view hyphenated,
         const std::string& place) {
  const std::optional<std::string> word = unhyphenated(hyphenated);
  if (!word) {
    throw Error(ErrorKind::bad_input, place + ": not a hyphenated word, such as ta-ble");
  }
  const std::string lowered = lower(hyphenated);
  const auto [known, is_new] = exceptions.try_emplace(*word, lowered);
  if (!is_new && known->second != lowered) {
    throw Error(ErrorKind::bad_input, place + ": " + lowered + " was " + known->second + " before");
  }
}

int build_exceptions(const HyphenateOptions& options) {
  std::map<std::string, std::string> exceptions;
  if (options.lists.empty()) {
    const Patterns patterns = Patterns::load(options.patterns);
    for (const std::string& word : patterns.whole_words()) {
      add(exceptions, word, options.patterns);
    }
  }
  for (const std::string& list : options.lists) {
    Lines lines(list);
    std::string_view line;
    while (lines.next(line)) add(exceptions, line, lines.place());
  }
  WordIndex::build(exceptions, options.output, options.filter);
  return 0;
}

/// Writes what replaces some letters of a word, each in the case of that in its place, or of the
/// last.
void write_respelt(const Point& point, std::string_view word, std::string_view mark, Output& out) {
  std::string_view old = word.substr(point.begin, point.end - point.begin);
  bool is_upper = false;
  const auto write = [&](std::string_view text) {
    while (!text.empty()) {
      if (!old.empty()) {
        const Character letter = decode(old);
        is_upper = lower(letter.code) != letter.code;
        old.remove_prefix(letter.bytes);
      }
      const Character letter = decode(text);
      std::string cased;
      append(cased, is_upper ? upper(letter.code) : letter.code);
      out.write(cased);
      text.remove_prefix(letter.bytes);
    }
  };
  write(point.before);
  out.write(mark);
  write(point.after);
}

void write_hyphenated_word(std::string_view word, std::span<const Point> points,
                           std::string_view mark, Output& out) {
  std::size_t written = 0;
  for (const Point& point : points) {
    if (point.begin < written) continue;  // in what was respelt for the one before
    out.write(word.substr(written, point.begin - written));
    write_respelt(point, word, mark, out);
    written = point.end;
  }
  out.write(word.substr(written));
}

/// Writes a line with hyphens in its words, which are its longest runs of letters.
void write_hyphenated(std::string_view line, Hyphenator& hyphenator, std::string_view mark,
                      Output& out) {
  while (!line.empty()) {
    std::size_t end = 0;
    while (end < line.size()) {
      const Character character = decode(line.substr(end));
      if (!is_letter(character.code)) break;
      end += character.bytes;
    }
    const std::string_view word = line.substr(0, end);
    if (end > 0) {
      write_hyphenated_word(word, hyphenator.points(word), mark, out);
    } else {
      end = decode(line).bytes;
      out.write(line.substr(0, end));
    }
    line.remove_prefix(end);
  }
}

int hyphenate(const HyphenateOptions& options) {
  const Patterns patterns = Patterns::load(options.patterns);
  std::unique_ptr<WordIndex> index;
  Exceptions exceptions{[](std::string_view) { return false; }, nullptr};
  if (!options.exceptions.empty()) {
    index = std::make_unique<WordIndex>(options.exceptions);
    exceptions = {[&](std::string_view word) { return index->filter().contains(word); },
                  [&](std::string_view word) { return index->find(word); }};
  }
  Hyphenator hyphenator(patterns, exceptions);
  Output out;
  for (const std::string& file : options.files) {
    Lines lines(file);
    std::string_view line;
    while (lines.next(line)) {
      write_hyphenated(line, hyphenator, options.mark, out);
      if (lines.has_end()) out.write("\n");
    }
  }
  out.flush();
  if (options.stats) {
    const Hyphenator::Counts& counts = hyphenator.counts();
    std::fprintf(stderr,
                 "words: %ju\npassed the filter: %ju\nlook-ups: %ju\nexceptions: %ju\n"
                 "false positives: %ju\n",
                 std::uintmax_t{counts.words}, std::uintmax_t{counts.lookups},
                 std::uintmax_t{counts.lookups}, std::uintmax_t{counts.found},
                 std::uintmax_t{counts.lookups - counts.found});
  }
  return 0;
}

int start_hyphenate(int argc, char** argv) {
  options::Program program(
      "crivo-hyphenate",
      "Hyphenates the words of a text by patterns (Knuth and Liang), with the exceptions of a\n"
      "language in an index: its filter tells nearly all other words apart, and its store, asked\n"
      "once where the filter says maybe, gives the exact answer.\n\n"
      "Example:\n"
      "  crivo-hyphenate build -o exceptions\n"
      "  echo 'a table of exceptions' | crivo-hyphenate --exceptions exceptions --stats",
      "Words are runs of letters (UTF-8); all else is written as it is. An exception has the\n"
      "hyphens of its list alone. Where a language spells a broken word otherwise, it is written "
      "as\n"
      "it is broken (Hungarian asszony: asz-szony).\n"
      "Exit codes: 0 done, 2 usage, 3 bad input, 4 a corrupt index, 5 I/O or resources.");
  HyphenateOptions options;
  program.option("FILE", options.files, "texts; standard input if there are none, or for -");
  program
      .option("-p,--patterns", options.patterns,
              "patterns of a language, as TeX or libhyphen reads them")
      .shows_default();
  program.option("-x,--exceptions", options.exceptions, "directory that `build` made");
  program.option("-m,--mark", options.mark, "what to put where a word may be broken")
      .shows_default();
  program.flag("--stats", options.stats,
               "say on standard error how many words passed the filter, how many look-ups that "
               "took, and how many of them were in vain");
  options::Command build_command = program.subcommand(
      "build",
      "make an index of exceptions: of lists with a hyphenated word (ta-ble) a line or, without\n"
      "a LIST, of the words that the patterns' file spells whole\n\n"
      "Example: crivo-hyphenate build exceptions.txt -o exceptions");
  build_command.option("LIST", options.lists, "hyphenated words, one a line");
  build_command.option("-o,--output", options.output, "directory to make").required();
  build_command.option("-p,--patterns", options.patterns, "the patterns' file").shows_default();
  add_filter_options(build_command, options.filter);
  return program.run(argc, argv, [&] {
    if (options.files.empty()) options.files = {"-"};
    return build_command.given() ? build_exceptions(options) : hyphenate(options);
  });
}

}  // namespace
}  // namespace crivo::apps

int main(int argc, char** argv) {
  return crivo::apps::start_hyphenate(argc, argv);
}
