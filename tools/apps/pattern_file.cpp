// SPDX-License-Identifier: Apache-2.0
#include "apps/pattern_file.hpp"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "apps/text.hpp"
#include "crivo/error.hpp"

namespace crivo::apps {
namespace {

constexpr std::size_t kMostChanges = UINT16_MAX;
constexpr std::string_view kSpaces = " \t";
/// The levels of words that TeX's \hyphenation spells whole: more than a digit says.
constexpr std::uint8_t kNoHyphen = 10;
constexpr std::uint8_t kHyphen = 11;

constexpr bool is_digit(char32_t code) noexcept {
  return code >= U'0' && code <= U'9';
}
constexpr bool is_space(char c) noexcept {
  return static_cast<unsigned char>(c) <= ' ';
}

/// Where in a file something is, to say what is wrong there.
struct Place {
  const std::filesystem::path& path;
  std::size_t line = 1;

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(ErrorKind::bad_input, path.string() + ":" + std::to_string(line) + ": " + problem);
  }
};

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) {
    throw Error(ErrorKind::io, path.string() + ": cannot open: " + std::strerror(errno));
  }
  std::string all;
  std::array<char, 1 << 16> block;
  while (file.read(block.data(), block.size()) || file.gcount() > 0) {
    all.append(block.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) throw Error(ErrorKind::io, path.string() + ": cannot read");
  return all;
}

/// Checks a pattern's letters, and puts them into lower case.
void finish_letters(Pattern& pattern, const Place& place) {
  if (pattern.letters.empty()) place.fail("a pattern without letters");
  if (pattern.letters.size() > PatternSet::kMaxLetters) {
    place.fail("a pattern of more than 250 letters");
  }
  for (char32_t& letter : pattern.letters) {
    if (letter == kInvalid) place.fail("a pattern is not in the file's encoding");
    letter = lower(letter);
  }
}

/// Patterns of different letters each, in the order in which they came.
class PatternList {
 public:
  /// Adds it, or puts it in the place of that with its letters; false if there was one.
  bool put(Pattern pattern) {
    const auto [known, is_new] = numbers_.try_emplace(pattern.letters, list_.size());
    if (is_new) {
      list_.push_back(std::move(pattern));
    } else {
      list_[known->second] = std::move(pattern);
    }
    return is_new;
  }
  /// All, which it has no more.
  std::vector<Pattern> take() {
    numbers_.clear();
    return std::exchange(list_, {});
  }

 private:
  std::vector<Pattern> list_;
  std::map<std::u32string, std::size_t> numbers_;
};

/// libhyphen's format.
class HyphenFile {
 public:
  HyphenFile(std::string_view text, Place& place) : rest_(text), place_(place) {
    set_encoding(std::string(next_line()));
    file_.rule = PatternSet::Rule::longest;
    while (!rest_.empty()) {
      ++place_.line;
      read_line(decoded(next_line()));
    }
    for (Pattern& pattern : list_.take()) {
      (is_whole_word(pattern) ? file_.whole_words : file_.words).push_back(std::move(pattern));
    }
  }

  PatternFile take() { return std::move(file_); }

 private:
  std::string_view next_line() {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  void set_encoding(std::string name) {
    if (name == "UTF-8") return;
    if (name.starts_with("microsoft-")) name.erase(0, std::strlen("microsoft-"));
    if (name.empty()) place_.fail("the encoding is missing");
    const iconv_t converter = ::iconv_open("UTF-8", name.c_str());
    if (reinterpret_cast<std::intptr_t>(converter) == -1) {
      place_.fail("the encoding is none that is known here");
    }
    for (unsigned byte = 0; byte < 256; ++byte) {
      char in = static_cast<char>(byte);
      std::array<char, 8> out{};
      char* from = &in;
      char* to = out.data();
      std::size_t in_size = 1;
      std::size_t out_size = out.size();
      const bool is_character =
          ::iconv(converter, &from, &in_size, &to, &out_size) != static_cast<std::size_t>(-1) &&
          to != out.data();
      bytes_[byte] = is_character ? std::string(out.data(), to) : std::string(1, '\xff');
      ::iconv(converter, nullptr, nullptr, nullptr, nullptr);
    }
    ::iconv_close(converter);
    if (bytes_['a'] != "a") place_.fail("the encoding is none of 8 bits that has ASCII in it");
    has_table_ = true;
  }

  std::string decoded(std::string_view line) const {
    if (!has_table_) return std::string(line);
    std::string utf8;
    for (const char c : line) utf8 += bytes_[static_cast<unsigned char>(c)];
    return utf8;
  }

  /// The number after an option's name, on a line that holds no more.
  std::size_t number(std::string_view text) const {
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    const std::size_t end = text.find_last_not_of(kSpaces);
    text = text.substr(0, end == std::string_view::npos ? 0 : end + 1);
    std::size_t value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || rest != text.data() + text.size() || value > 100) {
      place_.fail("expected a number up to 100");
    }
    return value;
  }

  /// Whether the line is one of an option, which says nothing after NEXTLEVEL.
  bool read_option(std::string_view line) {
    PatternFile ignored;
    PatternFile& file = file_.compounds.empty() ? file_ : ignored;
    const std::array<std::pair<std::string_view, std::size_t*>, 4> numbers{{
        {"LEFTHYPHENMIN", &file.left_min},
        {"RIGHTHYPHENMIN", &file.right_min},
        {"COMPOUNDLEFTHYPHENMIN", &file.compound_left_min},
        {"COMPOUNDRIGHTHYPHENMIN", &file.compound_right_min},
    }};
    for (const auto& [name, value] : numbers) {
      if (!line.starts_with(name)) continue;
      *value = number(line.substr(name.size()));
      return true;
    }
    constexpr std::string_view kNoHyphens = "NOHYPHEN";
    if (!line.starts_with(kNoHyphens)) return false;
    line.remove_prefix(kNoHyphens.size());
    file.unhyphenated.clear();
    while (!line.empty()) {
      const std::size_t end = std::min(line.find(','), line.size());
      std::string text(line.substr(0, end));
      std::erase_if(text, is_space);
      if (!text.empty()) file.unhyphenated.push_back(lower(text));
      line.remove_prefix(std::min(end + 1, line.size()));
    }
    return true;
  }

  void read_line(const std::string& line) {
    if (line.empty() || line.front() == '%' || line.front() == '#' || read_option(line)) return;
    if (line.starts_with("NEXTLEVEL")) {
      if (!file_.compounds.empty()) place_.fail("a third level of patterns");
      file_.compounds = list_.take();
      return;
    }
    Pattern pattern;
    std::string_view rest = line;
    while (!rest.empty() && rest.front() != '/' && !is_space(rest.front())) {
      const Character character = decode(rest);
      rest.remove_prefix(character.bytes);
      if (is_digit(character.code)) {
        pattern.levels.back() = static_cast<std::uint8_t>(character.code - U'0');
      } else {
        pattern.letters += character.code;
        pattern.levels.push_back(0);
      }
    }
    finish_letters(pattern, place_);
    if (rest.starts_with('/')) read_change(rest.substr(1), pattern);
    list_.put(std::move(pattern));
  }

  /// "ab=c" or "ab=c,start,cut".
  void read_change(std::string_view text, Pattern& pattern) {
    if (++changes_ > kMostChanges) place_.fail("more than 65,535 patterns with another spelling");
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view spelling = text.substr(0, comma);
    std::size_t start = 1;
    std::size_t cut = pattern.letters.size() - (pattern.letters.front() == U'.' ? 1 : 0);
    if (comma < text.size()) {
      const char* const end = text.data() + text.size();
      const auto first = std::from_chars(text.data() + comma + 1, end, start);
      const bool is_first = first.ec == std::errc() && first.ptr != end && *first.ptr == ',';
      // Text behind the second number is passed over, as by libhyphen: Hungarian has "1,1,14".
      if (!is_first || std::from_chars(first.ptr + 1, end, cut).ec != std::errc()) {
        place_.fail("expected PATTERN/SPELLING, or PATTERN/SPELLING,START,CUT");
      }
    }
    if (start == 0 || start > pattern.letters.size() || cut > pattern.letters.size()) {
      place_.fail("another spelling of letters that the pattern has not");
    }
    const std::size_t hyphen = spelling.find('=');
    const bool is_broken = hyphen != std::string_view::npos;
    // One without a place for the hyphen, which Hungarian has by mistake, is a pattern without one.
    if (!is_broken) return;
    pattern.change = Change{start - 1, cut, std::string(spelling.substr(0, hyphen)),
                            std::string(spelling.substr(hyphen + 1))};
  }

  static bool is_whole_word(const Pattern& pattern) {
    return pattern.letters.size() > 2 && pattern.letters.front() == U'.' &&
           pattern.letters.back() == U'.' && !pattern.change &&
           std::ranges::any_of(pattern.levels, [](std::uint8_t level) { return level > 7; });
  }

  std::string_view rest_;
  Place& place_;
  PatternFile file_;
  PatternList list_;
  std::size_t changes_ = 0;
  std::array<std::string, 256> bytes_;
  bool has_table_ = false;
};

/// TeX's format.
class TexFile {
 public:
  TexFile(std::string_view text, Place& place) : rest_(text), place_(place) {
    file_.right_min = 3;
    while (skip_to('\\')) {
      const std::string_view name = control_word();
      if (name == "lefthyphenmin") read_min(file_.left_min);
      if (name == "righthyphenmin") read_min(file_.right_min);
      if (name == "patterns") {
        for_each_word([this](std::string_view word) { add_pattern(word); });
      } else if (name == "hyphenation") {
        for_each_word([this](std::string_view word) { add_whole_word(word); });
      }
    }
  }

  PatternFile take() {
    file_.words = words_.take();
    file_.whole_words = whole_words_.take();
    return std::move(file_);
  }

 private:
  void advance(std::size_t bytes) {
    place_.line += static_cast<std::size_t>(
        std::count(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(bytes), '\n'));
    rest_.remove_prefix(bytes);
  }
  /// Up to the end of the line.
  void skip_comment() { advance(std::min(rest_.find('\n'), rest_.size())); }
  /// Over spaces and comments.
  void skip_space() {
    while (!rest_.empty() && (is_space(rest_.front()) || rest_.front() == '%')) {
      if (rest_.front() == '%') {
        skip_comment();
      } else {
        advance(1);
      }
    }
  }
  /// To what follows the next `c` that is in no comment; false if there is none.
  bool skip_to(char c) {
    while (!rest_.empty()) {
      const char next = rest_.front();
      if (next == '%') {
        skip_comment();
        continue;
      }
      advance(1);
      if (next == c) return true;
    }
    return false;
  }
  /// The name after a backslash; of one other character, such as \%, nothing.
  std::string_view control_word() {
    const auto is_name = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto end = std::ranges::find_if_not(rest_, is_name);
    const auto bytes = static_cast<std::size_t>(end - rest_.begin());
    const std::string_view name = rest_.substr(0, bytes);
    advance(bytes == 0 ? std::min<std::size_t>(1, rest_.size()) : bytes);
    return name;
  }
  void read_min(std::size_t& value) {
    skip_space();
    if (rest_.starts_with('=')) advance(1);
    skip_space();
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc() || number > 100) place_.fail("expected a number up to 100");
    value = number;
    advance(static_cast<std::size_t>(end - rest_.data()));
  }

  /// Visits what stands between braces, divided by spaces and comments.
  template <typename Visit>
  void for_each_word(const Visit& visit) {
    skip_space();
    if (!rest_.starts_with('{')) place_.fail("expected {");
    const std::size_t opened = place_.line;
    advance(1);
    for (skip_space(); !rest_.empty() && rest_.front() != '}'; skip_space()) {
      const auto end = std::ranges::find_if(rest_, [](char c) {
        return is_space(c) || c == '%' || c == '}' || c == '\\' || c == '{';
      });
      const auto bytes = static_cast<std::size_t>(end - rest_.begin());
      if (bytes == 0) place_.fail("a control sequence or a group between patterns or words");
      visit(rest_.substr(0, bytes));
      advance(bytes);
    }
    if (rest_.empty()) {
      place_.line = opened;
      place_.fail("a { without its }");
    }
    advance(1);
  }

  /// The next character of a word, which may be written ^^e9.
  static char32_t next(std::string_view& word) {
    unsigned code = 0;
    if (word.starts_with("^^") && word.size() >= 4) {
      const char* const end = word.data() + 4;
      const auto [at, error] = std::from_chars(word.data() + 2, end, code, 16);
      if (error == std::errc() && at == end) {
        word.remove_prefix(4);
        return code;
      }
    }
    const Character character = decode(word);
    word.remove_prefix(character.bytes);
    return character.code;
  }

  void add_pattern(std::string_view word) {
    Pattern pattern;
    bool had_digit = false;
    while (!word.empty()) {
      const char32_t code = next(word);
      if (is_digit(code)) {
        if (had_digit) place_.fail("two levels at one place of a pattern");
        pattern.levels.back() = static_cast<std::uint8_t>(code - U'0');
      } else {
        pattern.letters += code;
        pattern.levels.push_back(0);
      }
      had_digit = is_digit(code);
    }
    finish_letters(pattern, place_);
    if (!words_.put(std::move(pattern))) {
      place_.fail("a pattern with the letters of an earlier one");
    }
  }

  /// Adds a word that is spelt whole; the last counts if it comes again.
  void add_whole_word(std::string_view word) {
    Pattern whole{.letters = U".", .levels = {0, kNoHyphen}, .change = {}};
    while (!word.empty()) {
      const char32_t code = next(word);
      if (code == U'-') {
        whole.levels.back() = kHyphen;
        continue;
      }
      if (!is_letter(code)) place_.fail("not a hyphenated word, such as ta-ble");
      whole.letters += code;
      whole.levels.push_back(kNoHyphen);
    }
    whole.letters += U'.';
    whole.levels.push_back(0);
    finish_letters(whole, place_);
    whole_words_.put(std::move(whole));
  }

  std::string_view rest_;
  Place& place_;
  PatternFile file_;
  PatternList words_;
  PatternList whole_words_;
};

}  // namespace

PatternFile read_patterns(const std::filesystem::path& path) {
  const std::string text = content_of(path);
  Place place{path};
  if (text.empty()) place.fail("an empty file, and no patterns");
  if (text.front() == '%' || text.front() == '\\') return TexFile(text, place).take();
  return HyphenFile(text, place).take();
}

}  // namespace crivo::apps
