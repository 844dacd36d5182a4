#include "apps/speller.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "apps/text.hpp"

namespace crivo::apps {
namespace {

/// Words of more letters get no suggestions: their slips would be many, and they are none.
constexpr std::size_t kLongestSuggested = 64;

std::u32string characters_of(std::string_view text) {
  std::u32string characters;
  for (; !text.empty(); text.remove_prefix(decode(text).bytes)) {
    characters += decode(text).code;
  }
  return characters;
}

std::string text_of(std::u32string_view characters) {
  std::string text;
  for (const char32_t character : characters) append(text, character);
  return text;
}

/// How a word is capitalised, and words to be capitalised likewise.
enum class Shape { lower, title, upper, other };

std::u32string shaped(std::u32string word, Shape shape) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (shape == Shape::upper || (shape == Shape::title && i == 0)) word[i] = upper(word[i]);
  }
  return word;
}

std::u32string lowered(std::u32string word) {
  for (char32_t& character : word) character = lower(character);
  return word;
}

Shape shape_of(const std::u32string& word) {
  for (const Shape shape : {Shape::lower, Shape::title, Shape::upper}) {
    if (shaped(lowered(word), shape) == word) return shape;
  }
  return Shape::other;
}

/// All that one slip of a typist makes of a word: two letters exchanged, one replaced, one left out
/// (which is to be inserted again), one too many.
std::vector<std::u32string> slips(const std::u32string& word, const std::u32string& alphabet) {
  std::vector<std::u32string> made;
  for (std::size_t i = 0; i + 1 < word.size(); ++i) {
    made.push_back(word);
    std::swap(made.back()[i], made.back()[i + 1]);
  }
  for (std::size_t i = 0; i < word.size(); ++i) {
    for (const char32_t letter : alphabet) {
      made.push_back(word);
      made.back()[i] = letter;
    }
  }
  for (std::size_t i = 0; i <= word.size(); ++i) {
    for (const char32_t letter : alphabet) {
      made.push_back(word);
      made.back().insert(i, 1, letter);
    }
  }
  for (std::size_t i = 0; i < word.size(); ++i) {
    made.push_back(word);
    made.back().erase(i, 1);
  }
  return made;
}

}  // namespace

Speller::Speller(WordIndex& index, std::string_view alphabet, std::size_t suggestions)
    : index_(index), alphabet_(characters_of(alphabet)), suggestions_(suggestions) {}

const std::optional<std::string>& Speller::fault(std::string_view word) {
  constexpr std::size_t kRemembered = std::size_t{1} << 16;
  std::string key(word);
  if (const auto known = faults_.find(key); known != faults_.end()) return known->second;
  if (faults_.size() >= kRemembered) faults_.clear();
  return faults_[std::move(key)] = find_fault(characters_of(word));
}

std::optional<std::string> Speller::find_fault(const std::u32string& word) {
  const Shape shape = shape_of(word);
  std::vector<std::u32string> forms{word};
  if (shape == Shape::title || shape == Shape::upper) forms.push_back(lowered(word));
  if (shape == Shape::upper) forms.push_back(shaped(lowered(word), Shape::title));
  for (const bool is_word : are_words(forms)) {
    if (is_word) return std::nullopt;
  }
  if (suggestions_ == 0 || word.size() > kLongestSuggested) return "";
  std::vector<std::u32string> candidates;
  for (auto& slip : slips(shape == Shape::other ? word : lowered(word), alphabet_)) {
    candidates.push_back(shaped(slip, Shape::title));  // a name
    candidates.push_back(std::move(slip));
  }
  const std::vector<bool> is_word = are_words(candidates);
  std::vector<std::u32string> suggestions;
  for (std::size_t i = 0; i < candidates.size() && suggestions.size() < suggestions_; ++i) {
    if (!is_word[i]) continue;
    auto suggestion = shape == Shape::other ? candidates[i] : shaped(candidates[i], shape);
    if (std::ranges::find(suggestions, suggestion) == suggestions.end()) {
      suggestions.push_back(std::move(suggestion));
    }
  }
  std::string text;
  for (const auto& suggestion : suggestions) {
    text += (text.empty() ? ": " : ", ") + text_of(suggestion);
  }
  return text;
}

/// Which of these are in the dictionary: the filter is asked for all of them at once, the store for
/// those that pass.
std::vector<bool> Speller::are_words(const std::vector<std::u32string>& words) {
  std::vector<std::string> texts;
  texts.reserve(words.size());
  for (const auto& word : words) texts.push_back(text_of(word));
  const std::vector<std::string_view> keys(texts.begin(), texts.end());
  const auto answers = std::make_unique<bool[]>(keys.size());
  index_.filter().contains(keys, std::span(answers.get(), keys.size()));
  counts_.asked += keys.size();
  std::vector<bool> known(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!answers[i]) continue;
    ++counts_.passed;
    known[i] = index_.find(keys[i]).has_value();
    if (known[i]) ++counts_.found;
  }
  return known;
}

}  // namespace crivo::apps
