// SPDX-License-Identifier: Apache-2.0
// The hyphenator against known words, and against libhyphen.

#include "apps/hyphenator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crivo/error.hpp"

namespace crivo::apps {
namespace {

constexpr const char* kAmerican = "/usr/share/hyphen/hyph_en_US.dic";

/// A pattern file of these lines, gone with the object.
class PatternText {
 public:
  explicit PatternText(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("crivo-patterns-" + std::to_string(std::random_device{}()) + ".dic")) {
    std::ofstream(path_) << text;
  }
  ~PatternText() { std::filesystem::remove(path_); }
  PatternText(const PatternText&) = delete;
  PatternText& operator=(const PatternText&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }
  Patterns load() const { return Patterns::load(path_); }
  std::string problem() const {
    try {
      load();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with(path_.string() + ":")) << message;
      return message.substr(path_.string().size() + 1);
    }
    return "";
  }

 private:
  std::filesystem::path path_;
};

/// The word with hyphens, spelt as it is broken.
std::string hyphenate(Hyphenator& hyphenator, std::string_view word) {
  std::string text(word);
  const auto points = hyphenator.points(word);
  for (std::size_t i = points.size(); i-- > 0;) {
    const Point& point = points[i];
    text.replace(point.begin, point.end - point.begin,
                 std::string(point.before) + "-" + std::string(point.after));
  }
  return text;
}

std::string hyphenate(const Patterns& patterns, std::string_view word) {
  Hyphenator hyphenator(patterns);
  return hyphenate(hyphenator, word);
}

/// Exceptions in memory; the filter lets every `extra` word pass too.
Exceptions exceptions(std::map<std::string, std::string> words, std::set<std::string> extra = {}) {
  return {[words, extra](std::string_view word) {
            return words.contains(std::string(word)) || extra.contains(std::string(word));
          },
          [words](std::string_view word) -> std::optional<std::string_view> {
            const auto found = words.find(std::string(word));
            if (found == words.end()) return std::nullopt;
            return found->second;
          }};
}

TEST(Hyphenator, KnownWordsOfAmericanEnglish) {
  const Patterns patterns = Patterns::load(kAmerican);
  EXPECT_EQ(patterns.left_min(), 2U);
  EXPECT_EQ(patterns.right_min(), 3U);
  EXPECT_GT(patterns.size(), 11000U);
  for (const std::string_view hyphenated :
       {"hy-phen-ation", "al-go-rithm", "com-puter", "Knuth", "as-so-ciate", "project", "ta-ble",
        "su-per-cal-ifrag-ilis-tic-ex-pi-ali-do-cious", "Uni-ver-sity", "PROB-A-BIL-ITY", "a", "of",
        "the", "rec-i-proc-ity",
        "di\xef\xac\x80"
        "er-ent"}) {
    std::string word(hyphenated);
    std::erase(word, '-');
    EXPECT_EQ(hyphenate(patterns, word), hyphenated);
  }
}

TEST(Hyphenator, WholeWordsCanBeLeftOut) {
  const Patterns all = Patterns::load(kAmerican);
  const Patterns rest = Patterns::load(kAmerican, Patterns::Whole::leave_out);
  ASSERT_EQ(all.whole_words().size(), 1094U);
  EXPECT_EQ(all.whole_words(), rest.whole_words());
  EXPECT_EQ(rest.size(), all.size() - 1094);
  EXPECT_EQ(hyphenate(rest, "project"), "pro-ject");
  // As exceptions they are hyphenated as with the patterns: the list, less what is too near an end.
  std::map<std::string, std::string> words;
  for (const std::string& word : rest.whole_words()) words[*unhyphenated(word)] = word;
  Hyphenator by_exceptions(rest, exceptions(words));
  Hyphenator by_patterns(all);
  std::size_t different = 0;
  for (const auto& [word, hyphenated] : words) {
    const std::string expected = hyphenate(by_patterns, word);
    EXPECT_EQ(hyphenate(by_exceptions, word), expected);
    different += hyphenate(rest, word) != expected ? 1 : 0;
    const bool has_ligature = hyphenated.find('\xef') != std::string::npos;
    if (!has_ligature && hyphenated[hyphenated.size() - 3] != '-') {
      EXPECT_EQ(expected, hyphenated);
    }
  }
  EXPECT_GT(different, words.size() / 2);
  EXPECT_EQ(by_exceptions.counts().found, words.size());
}

/// Liang's rule as it is written: every pattern at every place of the word.
std::string by_every_pattern(const std::vector<std::pair<std::string, std::vector<int>>>& patterns,
                             const std::string& word, std::size_t left, std::size_t right) {
  const std::string text = "." + word + ".";
  std::vector<int> levels(text.size() + 1);
  for (const auto& [letters, values] : patterns) {
    for (std::size_t at = text.find(letters); at != std::string::npos;
         at = text.find(letters, at + 1)) {
      for (std::size_t k = 0; k < values.size(); ++k) {
        levels[at + k] = std::max(levels[at + k], values[k]);
      }
    }
  }
  std::string hyphenated;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (i >= left && i + right <= word.size() && levels[i + 1] % 2 == 1) hyphenated += '-';
    hyphenated += word[i];
  }
  return hyphenated;
}

TEST(Hyphenator, EveryPatternCounts) {
  std::vector<std::pair<std::string, std::vector<int>>> list;
  std::ifstream file(kAmerican);
  std::string line;
  for (int i = 0; std::getline(file, line); ++i) {
    if (i < 3) continue;
    list.emplace_back("", std::vector<int>(1));
    for (const char c : line) {
      if (c >= '0' && c <= '9') {
        list.back().second.back() = c - '0';
      } else {
        list.back().first += c;
        list.back().second.push_back(0);
      }
    }
  }
  const Patterns patterns = Patterns::load(kAmerican);
  ASSERT_EQ(patterns.size(), list.size());
  Hyphenator hyphenator(patterns);
  std::mt19937 random(1);
  // Words made of the patterns' own letters, so that long patterns match too.
  for (int i = 0; i < 150; ++i) {
    std::string word;
    while (word.size() < 1 + static_cast<unsigned>(i) % 24) {
      std::string part = list[random() % list.size()].first;
      std::erase(part, '.');
      if (std::ranges::all_of(part, [](char c) { return c >= 'a' && c <= 'z'; })) word += part;
    }
    EXPECT_EQ(hyphenate(hyphenator, word), by_every_pattern(list, word, 2, 3));
  }
}

TEST(Hyphenator, FalsePositivesCostOneLookup) {
  const Patterns patterns = Patterns::load(kAmerican);
  Hyphenator hyphenator(patterns,
                        exceptions({{"table", "t-ab-le"}}, {"computer", "algorithm", "of"}));
  EXPECT_EQ(hyphenate(hyphenator, "Table"), "Table");  // the list\'s leave too few letters
  EXPECT_EQ(hyphenate(hyphenator, "computer"), "com-puter");
  EXPECT_EQ(hyphenate(hyphenator, "algorithm"), "al-go-rithm");
  EXPECT_EQ(hyphenate(hyphenator, "of"), "of");
  EXPECT_EQ(hyphenate(hyphenator, "hyphenation"), "hy-phen-ation");
  EXPECT_EQ(hyphenator.counts().words, 5U);
  EXPECT_EQ(hyphenator.counts().lookups, 4U);
  EXPECT_EQ(hyphenator.counts().found, 1U);
}

TEST(Hyphenator, ExceptionsOfAnotherWordAreDamage) {
  const Patterns patterns = PatternText("UTF-8\na1b\n").load();
  for (const char* record : {"", "ta-bla", "ta-blee", "tabl", "t\xff"}) {
    Hyphenator hyphenator(patterns, exceptions({{"table", record}}));
    EXPECT_THROW(hyphenator.points("table"), Error) << record;
  }
  for (const char* record : {"ta--ble", "-ta-ble-"}) {
    Hyphenator hyphenator(patterns, exceptions({{"table", record}}));
    EXPECT_EQ(hyphenate(hyphenator, "table"), "ta-ble");
  }
}

TEST(Hyphenator, EdgesOfWords) {
  const Patterns patterns = PatternText("UTF-8\nLEFTHYPHENMIN 1\nRIGHTHYPHENMIN 1\na1a\n").load();
  EXPECT_EQ(hyphenate(patterns, ""), "");
  EXPECT_EQ(hyphenate(patterns, "a"), "a");
  EXPECT_EQ(hyphenate(patterns, "aa"), "a-a");
  EXPECT_EQ(hyphenate(patterns, "AaA"), "A-a-A");
  EXPECT_EQ(hyphenate(patterns, "a.a"), "a.a");
  EXPECT_EQ(hyphenate(patterns,
                      "aa\xff"
                      "aa"),
            "a-a\xff"
            "a-a");
  const std::string many(5000, 'a');
  EXPECT_EQ(hyphenate(patterns, many).size(), 2 * many.size() - 1);
  EXPECT_EQ(hyphenate(PatternText("UTF-8\nLEFTHYPHENMIN 0\nRIGHTHYPHENMIN 0\n1a1\n").load(), "aa"),
            "a-a");
  EXPECT_EQ(hyphenate(PatternText("UTF-8\na1a\n").load(), "aaaaa"), "aa-a-aa");  // 2 and 2
  const Patterns ends = PatternText("UTF-8\n.a1b\n1c.\n3d4.\n").load();
  EXPECT_EQ(hyphenate(ends, "xabxxxc"), "xabxxxc");  // RIGHTHYPHENMIN
  EXPECT_EQ(hyphenate(PatternText("UTF-8\nLEFTHYPHENMIN 1\nRIGHTHYPHENMIN 1\n.a1b\n1c.\n").load(),
                      "abcabc"),
            "a-bcab-c");
}

TEST(Hyphenator, LettersBeyondAscii) {
  const Patterns utf8 = PatternText(
                            "UTF-8\r\n% comment\r\n\r\n\xc3\xa9"
                            "1t\xc3\xa9\r\n")
                            .load();
  EXPECT_EQ(hyphenate(utf8, "l'\xc3\xa9t\xc3\xa9"), "l'\xc3\xa9-t\xc3\xa9");
  EXPECT_EQ(hyphenate(utf8, "l'\xc3\x89T\xc3\x89"), "l'\xc3\x89-T\xc3\x89");
  const Patterns latin1 = PatternText(
                              "ISO8859-1\n\xe9"
                              "1t\xe9\n")
                              .load();
  EXPECT_EQ(hyphenate(latin1, "l'\xc3\xa9t\xc3\xa9"), "l'\xc3\xa9-t\xc3\xa9");
}

TEST(Hyphenator, EightBitEncodings) {
  const Patterns koi8 = PatternText(
                            "KOI8-R\n\xc1"
                            "1\xc2\n")
                            .load();
  EXPECT_EQ(hyphenate(koi8, "\xd0\xb0\xd0\xb0\xd0\xb1\xd0\xb1"),  // Cyrillic a, a, be, be
            "\xd0\xb0\xd0\xb0-\xd0\xb1\xd0\xb1");
  EXPECT_EQ(hyphenate(PatternText("microsoft-cp1251\n\xe0"
                                  "1\xe1\n")
                          .load(),
                      "\xd0\xb0\xd0\xb0\xd0\xb1\xd0\xb1"),
            "\xd0\xb0\xd0\xb0-\xd0\xb1\xd0\xb1");
}

/// Of the patterns that end at one place the one that begins first counts, or none where more of a
/// longer pattern has been read.
TEST(Hyphenator, LongestPatternsCountAsInLibhyphen) {
  EXPECT_EQ(hyphenate(PatternText("UTF-8\nb1c\nabc\n").load(), "aabcc"), "aabcc");
  EXPECT_EQ(hyphenate(PatternText("UTF-8\nb1c\nabcd\n").load(), "aabcc"), "aabcc");
  EXPECT_EQ(hyphenate(PatternText("UTF-8\nb1c\nabd\n").load(), "aabcc"), "aab-cc");
  EXPECT_EQ(hyphenate(PatternText("% TeX\n\\patterns{b1c abc}").load(), "aabccd"), "aab-ccd");
  // A later pattern of the same letters counts, and of two digits the last.
  EXPECT_EQ(hyphenate(PatternText("UTF-8\na1b\na2b\n").load(), "aabb"), "aabb");
  EXPECT_EQ(hyphenate(PatternText("UTF-8\na2b\na21b \n# a2b\n").load(), "aabb"), "aa-bb");
}

TEST(Hyphenator, CompoundsAreDividedFirst) {
  const std::string options = "UTF-8\nLEFTHYPHENMIN 1\nRIGHTHYPHENMIN 1\n";
  const std::string levels = "haus1\ntur1\nNEXTLEVEL\na1u\nt1u\nu1r\n1l\n";
  const Patterns plain = PatternText(options + levels).load();
  EXPECT_EQ(plain.size(), 6U);
  EXPECT_EQ(hyphenate(plain, "hausturlos"), "ha-us-t-u-r-los");
  EXPECT_EQ(hyphenate(plain, "haus"), "ha-us");  // no compound: its only end is the word's
  const Patterns apart =
      PatternText(options + "COMPOUNDLEFTHYPHENMIN 2\nCOMPOUNDRIGHTHYPHENMIN 3\n" + levels).load();
  EXPECT_EQ(hyphenate(apart, "hausturlos"), "haus-tur-los");
  EXPECT_EQ(hyphenate(apart, "hausxturxx"), "haus-xtur-xx");
  EXPECT_EQ(hyphenate(PatternText(options + "ab1\nNEXTLEVEL\n.x1y\n").load(), "abxy"), "ab-x-y");
  // What stands after NEXTLEVEL says nothing of the whole word.
  EXPECT_EQ(PatternText(options + "a1b\nNEXTLEVEL\nLEFTHYPHENMIN 9\nc1d\n").load().left_min(), 1U);
}

TEST(Hyphenator, BrokenWordsAreSpeltOtherwise) {
  const std::string options = "UTF-8\nLEFTHYPHENMIN 2\nRIGHTHYPHENMIN 2\n";
  // libhyphen's own examples (README.nonstandard), in the wide form and the narrow one.
  for (const char* patterns : {".schif1fahrt/ff=f,5,2\n.as3szon/sz=sz,2,3\nn1nyal./ny=ny,1,3\n",
                               ".schif1fahrt/ff=,5,1\n.as3szon/sz=,2,1\nn1nyal./ny=,1,1\n"}) {
    const Patterns language = PatternText(options + patterns).load();
    EXPECT_TRUE(language.words().has_changes());
    EXPECT_EQ(hyphenate(language, "schiffahrt"), "schiff-fahrt");
    EXPECT_EQ(hyphenate(language, "asszonnyal"), "asz-szony-nyal");
  }
  EXPECT_EQ(hyphenate(PatternText(options + "f1f/ff=f\n").load(), "affa"), "aff-fa");
  EXPECT_EQ(hyphenate(PatternText(options + "a1atje./a=t,1,3\n").load(), "omaatje"), "oma-tje");
  EXPECT_EQ(hyphenate(PatternText(options + "\xc3\xb6s3sze/sz=sz,2,3\n").load(), "\xc3\xb6sszel"),
            "\xc3\xb6sz-szel");
  // A higher level without a change wins; one beyond what is replaced changes nothing.
  EXPECT_EQ(hyphenate(PatternText(options + "af1f/ff=f,2,2\nf3fa\n").load(), "affa"), "af-fa");
  EXPECT_EQ(hyphenate(PatternText(options + "ab1b/x=y,1,1\nb2b1a/x=y,1,1\n").load(), "abbaa"),
            "abb-aa");
  EXPECT_EQ(
      hyphenate(PatternText(options + "b1b/b=bb,1,2\nNEXTLEVEL\nc1c/cc=c,1,2\n").load(), "abbcca"),
      "ab-bbcc-ca");
}

TEST(Hyphenator, NoHyphensBesideTexts) {
  const std::string options = "UTF-8\nLEFTHYPHENMIN 1\nRIGHTHYPHENMIN 1\n";
  EXPECT_EQ(hyphenate(PatternText(options + "1-1\n1a1\n").load(), "ba-ab"), "b-a---a-b");
  EXPECT_EQ(hyphenate(PatternText(options + "NOHYPHEN -,'\n1-1\n1a1\n").load(), "ba-ab"),
            "b-a-a-b");
}

TEST(Hyphenator, PatternsOfTex) {
  const PatternText file(
      "% title: patterns, with \\patterns{x1x} in a comment\n"
      "\\message{none} \\lefthyphenmin = 1\n"
      "\\patterns{ % more\n.a1b 1c. % a comment}\n\xc3\xa9"
      "1t ^^e91x\n}\n"
      "\\hyphenation{ta-ble pro-ject\nproject}\n");
  const Patterns patterns = file.load();
  EXPECT_EQ(patterns.left_min(), 1U);
  EXPECT_EQ(patterns.right_min(), 3U);
  EXPECT_EQ(patterns.whole_words(), (std::vector<std::string>{"ta-ble", "project"}));
  EXPECT_EQ(patterns.size(), 6U);
  EXPECT_EQ(hyphenate(patterns, "abbbc"), "a-bbbc");
  EXPECT_EQ(hyphenate(patterns, "\xc3\xa9txxx\xc3\xa9xxx"), "\xc3\xa9-txxx\xc3\xa9-xxx");
  EXPECT_EQ(hyphenate(patterns, "table"), "ta-ble");
  EXPECT_EQ(Patterns::load(file.path(), Patterns::Whole::leave_out).size(), 4U);
  EXPECT_EQ(PatternText("\\patterns{a1b}").load().left_min(), 2U);
}

/// Plain TeX's hyphen.tex begins so; the words are of Appendix H of The TeXbook.
TEST(Hyphenator, WordOfTheTexbook) {
  const Patterns patterns = PatternText(
                                "% The Plain TeX hyphenation tables\n"
                                "\\patterns{ % just type <return> if you're not using INITEX\n"
                                "hy3ph he2n hena4 hen5at 1na n2at 1tio 2io}\n"
                                "\\hyphenation{as-so-ciate project}\n")
                                .load();
  EXPECT_EQ(hyphenate(patterns, "hyphenation"), "hy-phen-ation");
  EXPECT_EQ(hyphenate(patterns, "Associate"), "As-so-ciate");
}

TEST(Hyphenator, FaultsOfPatternFilesAreNamed) {
  const std::map<std::string, std::string> faults = {
      {"", "1: an empty file"},
      {"NONESUCH\na1b\n", "1: the encoding"},
      {"\na1b\n", "1: the encoding"},
      {"UTF-16\na1b\n", "1: the encoding"},
      {"UTF-8\na1b\nNEXTLEVEL\nc1d\nNEXTLEVEL\n", "5: a third level"},
      {"UTF-8\nCOMPOUNDLEFTHYPHENMIN x\n", "2: expected a number"},
      {"UTF-8\nLEFTHYPHENMIN\n", "2: expected a number"},
      {"UTF-8\nLEFTHYPHENMIN 2x\n", "2: expected a number"},
      {"UTF-8\nRIGHTHYPHENMIN 101\n", "2: expected a number"},
      {"UTF-8\nf1f/ff=f,1\n", "2: expected PATTERN/SPELLING"},
      {"UTF-8\nf1f/ff=f,x,2\n", "2: expected PATTERN/SPELLING"},
      {"UTF-8\nf1f/ff=f,3,1\n", "2: another spelling of letters"},
      {"UTF-8\nf1f/ff=f,0,1\n", "2: another spelling of letters"},
      {"UTF-8\n1/a=b\n", "2: a pattern without letters"},
      {"UTF-8\n12\n", "2: a pattern without letters"},
      {"UTF-8\n1\n", "2: a pattern without letters"},
      {"UTF-8\na\xff\n", "2: a pattern is not in the file's encoding"},
      {"ASCII\na\xe9\n", "2: a pattern is not in the file's encoding"},
      {"UTF-8\n" + std::string(251, 'a') + "\n", "2: a pattern of more than"},
      {"%\n\\patterns{a12b}", "2: two levels"},
      {"%\n\\patterns{a1b\n\na2b}", "4: a pattern with the letters"},
      {"%\n\\patterns{a1b\n\\x}", "3: a control sequence"},
      {"%\n\\patterns a1b", "2: expected {"},
      {"%\n\\patterns\n{a1b\n\n", "3: a { without its }"},
      {"%\n\\hyphenation{ta-ble x1}", "2: not a hyphenated word"},
      {"%\n\\righthyphenmin=\\x", "2: expected a number"},
  };
  for (const auto& [text, problem] : faults) {
    EXPECT_TRUE(PatternText(text).problem().starts_with(problem))
        << text << ": " << PatternText(text).problem();
  }
  std::string letters = "UTF-8\n";
  for (int i = 0; i < 300; ++i) {  // U+4E00 and on
    letters += '\xe4';
    letters += static_cast<char>(0xb8 + i / 64);
    letters += static_cast<char>(0x80 + i % 64);
    letters += "1\n";
  }
  try {
    (void)PatternText(letters).load();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string_view(error.what()).find("different letters"), std::string_view::npos);
  }
  EXPECT_THROW(Patterns::load("/nonesuch"), Error);
  EXPECT_EQ(PatternText("UTF-8\n" + std::string(250, 'a') + "1\n").load().size(), 1U);
  EXPECT_EQ(PatternText("UTF-8").load().size(), 0U);
}

TEST(Hyphenator, WordsOfHyphenatedOnes) {
  EXPECT_EQ(unhyphenated("ta-ble"), "table");
  EXPECT_EQ(unhyphenated("As-So"), "asso");
  EXPECT_EQ(unhyphenated("\xc3\x89t\xc3\xa9"), "\xc3\xa9t\xc3\xa9");
  for (const char* text : {"", "-", "-a", "a-", "a--b", "a b", "a.b", "a1", "a\xff", "\t"}) {
    EXPECT_EQ(unhyphenated(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace crivo::apps
