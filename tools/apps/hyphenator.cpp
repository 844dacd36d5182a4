#include "apps/hyphenator.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <utility>

#include "apps/text.hpp"
#include "crivo/error.hpp"

namespace crivo::apps {
namespace {

/// The longest pattern, in letters: its length and its levels' places are counted in bytes.
constexpr std::size_t kMaxLetters = 250;

bool is_digit(char32_t code) {
  return code >= U'0' && code <= U'9';
}

/// A pattern file, cut into lines.
class PatternFile {
 public:
  explicit PatternFile(const std::filesystem::path& path) : path_(path), file_(path) {
    if (!file_.is_open()) {
      throw Error(ErrorKind::io, path.string() + ": cannot open: " + std::strerror(errno));
    }
  }

  /// The next line, in UTF-8 and without what ends it; false at the end.
  bool next(std::string& line) {
    if (!std::getline(file_, line)) {
      if (file_.bad()) throw Error(ErrorKind::io, path_.string() + ": cannot read");
      return false;
    }
    ++number_;
    if (line.ends_with('\r')) line.pop_back();
    if (is_latin1_) {
      std::string utf8;
      for (const char c : line) append(utf8, static_cast<unsigned char>(c));
      line = utf8;
    }
    return true;
  }
  void set_latin1() noexcept { is_latin1_ = true; }

  [[noreturn]] void fail(const std::string& problem) const {
    const std::string place =
        path_.string() + ":" + std::to_string(std::max<std::size_t>(number_, 1)) + ": ";
    throw Error(ErrorKind::bad_input, place + problem);
  }

 private:
  std::filesystem::path path_;
  std::ifstream file_;
  std::size_t number_ = 0;
  bool is_latin1_ = false;
};

/// A line of a pattern file: letters, and the level before each of them and after the last.
struct Pattern {
  std::u32string letters;
  std::vector<std::uint8_t> levels{0};

  Pattern(std::string_view line, const PatternFile& file) {
    bool had_digit = false;
    while (!line.empty() && static_cast<unsigned char>(line.front()) > ' ') {
      const Character character = decode(line);
      line.remove_prefix(character.bytes);
      if (is_digit(character.code)) {
        if (had_digit) file.fail("two levels at one place of a pattern");
        levels.back() = static_cast<std::uint8_t>(character.code - U'0');
      } else {
        if (character.code == kInvalid) file.fail("a pattern is not in the file's encoding");
        if (character.code == U'/') file.fail("patterns with replacements (/) are not supported");
        letters += lower(character.code);
        levels.push_back(0);
      }
      had_digit = is_digit(character.code);
    }
    if (letters.empty()) file.fail("a pattern without letters");
    if (letters.size() > kMaxLetters) file.fail("a pattern of more than 250 letters");
  }

  bool is_whole_word() const {
    return letters.size() > 2 && letters.front() == U'.' && letters.back() == U'.' &&
           std::ranges::any_of(levels, [](std::uint8_t level) { return level > 7; });
  }
  std::string hyphenated() const {
    std::string word;
    for (std::size_t i = 1; i + 1 < letters.size(); ++i) {
      if (levels[i] == 9) word += '-';
      append(word, letters[i]);
    }
    return word;
  }
};

/// The number after an option's name, on a line that holds no more.
std::size_t option_value(std::string_view text, const PatternFile& file) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const std::size_t end = text.find_last_not_of(" \t");
  text = text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  std::size_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size() || value > 100) {
    file.fail("expected a number up to 100");
  }
  return value;
}

}  // namespace

/// The trie before it is packed.
class Patterns::Trie {
 public:
  struct Node {
    std::map<std::uint8_t, std::uint32_t> children;
    std::uint32_t levels = 0;
  };

  /// The node that these symbols lead to, made if there is none.
  Node& at(const std::vector<std::uint8_t>& symbols) {
    std::uint32_t node = 0;
    for (const std::uint8_t symbol : symbols) {
      const auto next = static_cast<std::uint32_t>(nodes_.size());
      const auto [child, is_new] = nodes_[node].children.try_emplace(symbol, next);
      node = child->second;
      if (is_new) nodes_.emplace_back();
    }
    return nodes_[node];
  }
  const Node& operator[](std::uint32_t node) const { return nodes_[node]; }

 private:
  std::vector<Node> nodes_{1};
};

Patterns Patterns::load(const std::filesystem::path& path, Whole whole) {
  PatternFile file(path);
  std::string line;
  if (!file.next(line)) file.fail("an empty file, and no patterns");
  if (line == "ISO8859-1") {
    file.set_latin1();
  } else if (line != "UTF-8" && line != "ASCII") {
    file.fail("the encoding is none of UTF-8, ISO8859-1, ASCII");
  }
  Patterns patterns;
  patterns.ascii_symbols_[U'.'] = kEnd;
  Trie trie;
  std::vector<std::uint8_t> symbols;
  while (file.next(line)) {
    if (line.empty() || line.front() == '%') continue;
    constexpr std::string_view kLeft = "LEFTHYPHENMIN";
    constexpr std::string_view kRight = "RIGHTHYPHENMIN";
    if (line.starts_with(kLeft)) {
      patterns.left_min_ = option_value(std::string_view(line).substr(kLeft.size()), file);
      continue;
    }
    if (line.starts_with(kRight)) {
      patterns.right_min_ = option_value(std::string_view(line).substr(kRight.size()), file);
      continue;
    }
    for (const char* other : {"NEXTLEVEL", "COMPOUND", "NOHYPHEN"}) {
      if (line.starts_with(other)) file.fail(std::string(other) + " is not supported");
    }
    const Pattern pattern(line, file);
    if (pattern.is_whole_word()) {
      patterns.whole_words_.push_back(pattern.hyphenated());
      if (whole == Whole::leave_out) continue;
    }
    symbols.clear();
    for (const char32_t letter : pattern.letters) {
      const std::uint8_t symbol = patterns.add_symbol(letter);
      if (symbol == 0) file.fail("more than 254 different letters");
      symbols.push_back(symbol);
    }
    Trie::Node& node = trie.at(symbols);
    if (node.levels != 0) file.fail("a pattern with the letters of an earlier one");
    node.levels = static_cast<std::uint32_t>(patterns.levels_.size());
    const auto& levels = pattern.levels;
    const auto first = std::ranges::find_if(levels, [](auto level) { return level != 0; });
    patterns.levels_.push_back(static_cast<std::uint8_t>(first - levels.begin()));
    patterns.levels_.push_back(static_cast<std::uint8_t>(levels.end() - first));
    patterns.levels_.insert(patterns.levels_.end(), first, levels.end());
    ++patterns.size_;
  }
  patterns.pack(trie);
  return patterns;
}

std::uint8_t Patterns::add_symbol(char32_t letter) {
  std::uint8_t& symbol =
      letter < ascii_symbols_.size() ? ascii_symbols_[letter] : other_symbols_[letter];
  if (symbol == 0 && symbols_ < UINT8_MAX) symbol = static_cast<std::uint8_t>(++symbols_);
  return symbol;
}

void Patterns::pack(const Trie& trie) {
  slots_.assign(symbols_ + 1, {});
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order{{0, 0}};  // node and its slot
  std::uint32_t lowest_free = 1;                                       // slot 0 is the root
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto [node, slot] = order[i];
    slots_[slot].levels = trie[node].levels;
    const auto& children = trie[node].children;
    if (children.empty()) continue;  // `children` stays 0: those slots have the root as parent
    while (lowest_free < slots_.size() && slots_[lowest_free].parent != UINT32_MAX) ++lowest_free;
    const std::uint32_t least = children.begin()->first;
    std::uint32_t base = lowest_free > least ? lowest_free - least : 0;
    if (slot == 0) base = 0;
    for (;; ++base) {
      if (slots_.size() < base + symbols_ + 1) slots_.resize(base + symbols_ + 1);
      if (std::ranges::all_of(children, [&](const auto& child) {
            return slots_[base + child.first].parent == UINT32_MAX;
          })) {
        break;
      }
    }
    slots_[slot].children = base;
    for (const auto& [symbol, child] : children) {
      slots_[base + symbol].parent = slot;
      order.emplace_back(child, base + symbol);
    }
  }
}

void Patterns::score(std::span<const std::uint8_t> word,
                     std::span<std::uint8_t> levels) const noexcept {
  for (std::size_t begin = 0; begin < word.size(); ++begin) {
    std::uint32_t state = 0;
    for (std::size_t i = begin; i < word.size(); ++i) {
      const std::uint32_t next = slots_[state].children + word[i];
      if (slots_[next].parent != state) break;
      state = next;
      if (slots_[state].levels == 0) continue;
      const std::uint8_t* match = &levels_[slots_[state].levels];
      std::uint8_t* level = &levels[begin + match[0]];
      for (std::size_t k = 0; k < match[1]; ++k) level[k] = std::max(level[k], match[2 + k]);
    }
  }
}

std::optional<std::string> unhyphenated(std::string_view hyphenated) {
  std::string word;
  bool after_letter = false;
  while (!hyphenated.empty()) {
    const Character character = decode(hyphenated);
    hyphenated.remove_prefix(character.bytes);
    if (character.code == U'-' && after_letter && !hyphenated.empty()) {
      after_letter = false;
      continue;
    }
    if (!is_letter(character.code)) return std::nullopt;
    append(word, lower(character.code));
    after_letter = true;
  }
  if (word.empty()) return std::nullopt;
  return word;
}

std::span<const std::size_t> Hyphenator::points(std::string_view word) {
  ++counts_.words;
  points_.clear();
  read(word);
  if (exceptions_ && exceptions_->may_contain(lowered_)) {
    ++counts_.lookups;
    if (const auto hyphenated = exceptions_->find(lowered_)) {
      ++counts_.found;
      score_exception(*hyphenated);
      take_points();
      return points_;
    }
  }
  // Patterns need not look at words without room for a hyphen.
  if (offsets_.size() >= patterns_.left_min() + patterns_.right_min()) {
    levels_.assign(symbols_.size() + 1, 0);
    patterns_.score(symbols_, levels_);
    take_points();
  }
  return points_;
}

void Hyphenator::read(std::string_view word) {
  lowered_.clear();
  offsets_.clear();
  symbols_.assign(1, Patterns::kEnd);
  for (std::size_t i = 0; i < word.size();) {
    const Character character = decode(word.substr(i));
    const char32_t letter = lower(character.code);
    offsets_.push_back(i);
    if (character.code == kInvalid) {
      lowered_ += word[i];
      symbols_.push_back(0);
    } else {
      append(lowered_, letter);
      // A full stop within a word is not the end of one.
      symbols_.push_back(letter == U'.' ? std::uint8_t{0} : patterns_.symbol(letter));
    }
    i += character.bytes;
  }
  symbols_.push_back(Patterns::kEnd);
}

/// Sets the levels by the hyphens that the word is stored with.
void Hyphenator::score_exception(std::string_view hyphenated) {
  levels_.assign(symbols_.size() + 1, 0);
  std::string_view rest = lowered_;
  std::size_t letter = 0;
  while (!hyphenated.empty()) {
    const std::size_t bytes = decode(hyphenated).bytes;
    if (hyphenated.front() == '-') {
      levels_[letter + 1] = 1;
    } else if (rest.starts_with(hyphenated.substr(0, bytes))) {
      rest.remove_prefix(bytes);
      ++letter;
    } else {
      break;
    }
    hyphenated.remove_prefix(bytes);
  }
  if (!hyphenated.empty() || !rest.empty()) {
    throw Error(ErrorKind::corrupt,
                "the exceptions give \"" + lowered_ + "\" another word's hyphens");
  }
}

/// The points of odd levels that leave enough letters on both sides. The level before letter i is
/// that before symbol i + 1.
void Hyphenator::take_points() {
  const std::size_t right = std::max<std::size_t>(patterns_.right_min(), 1);
  for (std::size_t i = std::max<std::size_t>(patterns_.left_min(), 1); i + right <= offsets_.size();
       ++i) {
    if (levels_[i + 1] % 2 == 1) points_.push_back(offsets_[i]);
  }
}

}  // namespace crivo::apps
