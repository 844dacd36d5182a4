// SPDX-License-Identifier: Apache-2.0
#include "apps/patterns.hpp"

#include <algorithm>
#include <utility>

#include "apps/pattern_file.hpp"
#include "apps/text.hpp"
#include "crivo/error.hpp"

namespace crivo::apps {
namespace {

/// "as-so-ciate".
std::string hyphenated(const Pattern& whole) {
  std::string word;
  for (std::size_t i = 1; i + 1 < whole.letters.size(); ++i) {
    if (whole.levels[i] > 7 && whole.levels[i] % 2 == 1) word += '-';
    append(word, whole.letters[i]);
  }
  return word;
}

}  // namespace

std::uint8_t Alphabet::add(char32_t letter) {
  std::uint8_t& symbol = letter < ascii_.size() ? ascii_[letter] : others_[letter];
  if (symbol == kOther && greatest_ < UINT8_MAX) symbol = ++greatest_;
  return symbol;
}

/// The trie before it is packed.
class PatternSet::Trie {
 public:
  struct Node {
    std::vector<std::pair<std::uint8_t, std::uint32_t>> children;  ///< by their symbols
    std::uint32_t levels = 0;
  };

  /// The node that these letters lead to, made if there is none.
  Node& at(const std::u32string& letters, const Alphabet& alphabet) {
    std::uint32_t node = 0;
    for (const char32_t letter : letters) {
      const auto next = static_cast<std::uint32_t>(nodes_.size());
      const std::pair<std::uint8_t, std::uint32_t> made{alphabet[letter], next};
      auto& children = nodes_[node].children;
      auto child = std::ranges::lower_bound(children, made.first, {},
                                            &std::pair<std::uint8_t, std::uint32_t>::first);
      const bool is_new = child == children.end() || child->first != made.first;
      if (is_new) child = children.insert(child, made);
      node = child->second;
      if (is_new) nodes_.emplace_back();
    }
    return nodes_[node];
  }
  const Node& operator[](std::uint32_t node) const { return nodes_[node]; }

 private:
  std::vector<Node> nodes_{1};
};

PatternSet::PatternSet(std::span<const Pattern> patterns, const Alphabet& alphabet, Rule rule)
    : rule_(rule), size_(patterns.size()) {
  Trie trie;
  for (const Pattern& pattern : patterns) {
    const std::uint32_t levels = add_levels(pattern);
    trie.at(pattern.letters, alphabet).levels = levels;
  }
  pack(trie, alphabet.greatest());
}

std::uint32_t PatternSet::add_levels(const Pattern& pattern) {
  std::size_t change = 0;
  if (pattern.change) {
    change = changes_.size();
    changes_.push_back(*pattern.change);
    if (pattern.letters.front() == U'.') ++changes_.back().start;
  }
  const auto place = static_cast<std::uint32_t>(levels_.size());
  const auto& levels = pattern.levels;
  const auto first = std::ranges::find_if(levels, [](auto level) { return level != 0; });
  for (const std::ptrdiff_t byte :
       {static_cast<std::ptrdiff_t>(change & 0xff), static_cast<std::ptrdiff_t>(change >> 8),
        first - levels.begin(), levels.end() - first}) {
    levels_.push_back(static_cast<std::uint8_t>(byte));
  }
  levels_.insert(levels_.end(), first, levels.end());
  return place;
}

void PatternSet::pack(const Trie& trie, std::size_t symbols) {
  // Where many slots are taken, a state with many children takes new ones; those with one fill
  // them.
  constexpr unsigned kMostTries = 256;
  slots_.assign(symbols + 1, {});
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order{{0, 0}};  // node and its slot
  std::uint32_t lowest_free = 1;                                       // slot 0 is the root
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto [node, slot] = order[i];
    slots_[slot].levels = trie[node].levels;
    const auto& children = trie[node].children;
    if (children.empty()) continue;  // `children` stays 0: those slots have the root as parent
    while (lowest_free < slots_.size() && slots_[lowest_free].parent != UINT32_MAX) ++lowest_free;
    const std::uint32_t least = children.front().first;
    std::uint32_t base = lowest_free > least ? lowest_free - least : 0;
    if (slot == 0) base = 0;
    const auto is_free = [&](const auto& child) {
      return slots_[base + child.first].parent == UINT32_MAX;
    };
    for (unsigned tried = 0;; ++base, ++tried) {
      if (tried == kMostTries) base = static_cast<std::uint32_t>(slots_.size());
      if (slots_.size() < base + symbols + 1) slots_.resize(base + symbols + 1);
      if (std::ranges::all_of(children, is_free)) break;
    }
    slots_[slot].children = base;
    for (const auto& [symbol, child] : children) {
      slots_[base + symbol].parent = slot;
      order.emplace_back(child, base + symbol);
    }
  }
}

void PatternSet::score(std::span<const std::uint8_t> word, std::span<std::uint8_t> levels,
                       std::span<Replacement> replacements) const noexcept {
  std::size_t settled = 0;  // by Rule::longest, what ends before here
  for (std::size_t begin = 0; begin < word.size(); ++begin) {
    std::uint32_t state = 0;
    for (std::size_t i = begin; i < word.size(); ++i) {
      const std::uint32_t next = slots_[state].children + word[i];
      if (slots_[next].parent != state) break;
      state = next;
      if (i < settled) continue;
      if (rule_ == Rule::longest) settled = i + 1;
      if (slots_[state].levels == 0) continue;
      const std::uint8_t* match = &levels_[slots_[state].levels];
      const std::size_t number = match[0] + std::size_t{match[1]} * 256;
      const Change& change = changes_[number];
      for (std::size_t k = 0; k < match[3]; ++k) {
        const std::size_t place = match[2] + k;
        if (match[4 + k] <= levels[begin + place]) continue;
        levels[begin + place] = match[4 + k];
        if (replacements.empty()) continue;
        const bool is_changed = number != 0 && place >= change.start &&
                                place <= change.start + change.cut && match[4 + k] % 2 == 1;
        replacements[begin + place] = {is_changed ? &change : nullptr, begin + change.start};
      }
    }
  }
}

Patterns Patterns::load(const std::filesystem::path& path, Whole whole) {
  PatternFile file = read_patterns(path);
  std::vector<std::string> whole_words;
  whole_words.reserve(file.whole_words.size());
  for (const Pattern& word : file.whole_words) whole_words.push_back(hyphenated(word));
  if (whole == Whole::apply) {
    file.words.insert(file.words.end(), file.whole_words.begin(), file.whole_words.end());
  }
  Alphabet alphabet;
  for (const auto* patterns : {&file.words, &file.compounds}) {
    for (const Pattern& pattern : *patterns) {
      for (const char32_t letter : pattern.letters) {
        if (alphabet.add(letter) != Alphabet::kOther) continue;
        throw Error(ErrorKind::bad_input,
                    path.string() + ": patterns of more than 254 different letters");
      }
    }
  }
  Patterns patterns(PatternSet(file.words, alphabet, file.rule));
  if (!file.compounds.empty()) patterns.compounds_.emplace(file.compounds, alphabet, file.rule);
  patterns.alphabet_ = std::move(alphabet);
  patterns.left_min_ = file.left_min;
  patterns.right_min_ = file.right_min;
  patterns.compound_left_min_ = file.compound_left_min;
  patterns.compound_right_min_ = file.compound_right_min;
  patterns.unhyphenated_ = std::move(file.unhyphenated);
  patterns.whole_words_ = std::move(whole_words);
  return patterns;
}

}  // namespace crivo::apps
