// SPDX-License-Identifier: Apache-2.0
#include "apps/speller.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "apps/likeness.hpp"
#include "apps/text.hpp"

namespace crivo::apps {
namespace {

/// Words of more letters get no suggestions: their slips would be many, and they are none.
constexpr std::size_t kLongestSuggested = 64;
/// Words of more letters get those of one slip alone: 24 letters have half a million of two.
constexpr std::size_t kLongestTwice = 24;
/// So many candidates are asked for at once.
constexpr std::size_t kBatch = 4096;
/// By what a suggestion's cost is divided if it sounds alike.
constexpr int kSoundsAlike = 2;
/// The extra cost of a capital or an apostrophe that the word lacks, and the cost of two words.
constexpr int kCapital = 40;
constexpr int kPossessive = 45;
constexpr int kSplit = 55;

const std::string kSoundMark = "\x01";
/// The dictionary's letters stand under the key of no sound.
const std::string kAlphabetKey = kSoundMark;
/// A letter of fewer words is of words from elsewhere, and would only make more candidates: é in
/// English, w in Portuguese.
constexpr std::size_t kWordsOfALetter = 500;
/// The alphabet of a dictionary that does not tell its own: of `crivo build store`.
constexpr std::string_view kEnglish = "abcdefghijklmnopqrstuvwxyz'";

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

/// Calls `visit` with all that one slip of a typist makes of a word from place `from` on: two
/// letters exchanged, one replaced, one left out (which is to be inserted again), one too many; and
/// with the place of each. The text is valid during the call.
template <typename Visit>
void for_each_slip(std::u32string& word, const std::u32string& alphabet, std::size_t from,
                   const Visit& visit) {
  for (std::size_t i = from; i + 1 < word.size(); ++i) {
    std::swap(word[i], word[i + 1]);
    visit(word, i);
    std::swap(word[i], word[i + 1]);
  }
  for (std::size_t i = from; i < word.size(); ++i) {
    const char32_t kept = word[i];
    for (const char32_t letter : alphabet) {
      word[i] = letter;
      visit(word, i);
    }
    word[i] = kept;
  }
  for (std::size_t i = from; i <= word.size(); ++i) {
    word.insert(i, 1, U' ');
    for (const char32_t letter : alphabet) {
      word[i] = letter;
      visit(word, i);
    }
    word.erase(i, 1);
  }
  for (std::size_t i = from; i < word.size(); ++i) {
    const char32_t kept = word[i];
    word.erase(i, 1);
    visit(word, i);
    word.insert(i, 1, kept);
  }
}

/// Calls `visit` with all that one slip makes of a word or, if it is not too long, two. Some come
/// more often than once.
template <typename Visit>
void for_each_candidate(std::u32string word, const std::u32string& alphabet, const Visit& visit) {
  const bool twice = word.size() <= kLongestTwice;
  for_each_slip(word, alphabet, 0, [&](const std::u32string& once, std::size_t place) {
    visit(once);
    if (!twice) return;
    // A slip two places before the first one could have been made before it.
    std::u32string again = once;
    for_each_slip(again, alphabet, place == 0 ? 0 : place - 1,
                  [&](const std::u32string& two, std::size_t) { visit(two); });
  });
}

/// The letters of at least one word in kWordsOfALetter, and the apostrophe likewise.
std::string alphabet_of(const std::set<std::string>& words) {
  std::map<char32_t, std::size_t> words_with;
  for (const std::string& word : words) {
    std::u32string letters = lowered(characters_of(word));
    std::ranges::sort(letters);
    const auto repeated = std::ranges::unique(letters);
    letters.erase(repeated.begin(), repeated.end());
    for (const char32_t letter : letters) {
      if (letter == U'\'' || is_letter(letter)) ++words_with[letter];
    }
  }
  std::u32string alphabet;
  for (const auto& [letter, count] : words_with) {
    if (count * kWordsOfALetter >= words.size()) alphabet += letter;
  }
  return text_of(alphabet);
}

/// The key of a sound in a dictionary: no word begins so.
std::string sound_key(const std::string& sound) {
  return kSoundMark + sound;
}

}  // namespace

void Speller::build(const std::set<std::string>& words, const std::filesystem::path& directory,
                    const FilterOptions& filter) {
  std::map<std::string, std::string> records;
  records.try_emplace(kAlphabetKey, alphabet_of(words));
  for (const std::string& word : words) {
    records.try_emplace(word);
    const std::string sound = sound_of(word);
    if (sound.empty()) continue;
    std::string& alike = records[sound_key(sound)];
    alike += (alike.empty() ? "" : kSoundMark) + word;
  }
  WordIndex::build(records, directory, filter);
}

Speller::Speller(WordIndex& index, std::string_view alphabet, std::size_t suggestions)
    : index_(index), suggestions_(suggestions) {
  if (!alphabet.empty()) {
    alphabet_ = characters_of(alphabet);
  } else if (index.filter().contains(kAlphabetKey)) {
    alphabet_ = characters_of(index.find(kAlphabetKey).value_or(kEnglish));
  } else {
    alphabet_ = characters_of(kEnglish);
  }
}

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
  std::string text;
  for (const std::u32string& suggestion : suggestions(word)) {
    text += (text.empty() ? ": " : ", ") + text_of(suggestion);
  }
  return text;
}

std::vector<std::u32string> Speller::suggestions(const std::u32string& word) {
  const Shape shape = shape_of(word);
  const std::u32string plain = lowered(word);
  const std::string sound = sound_of(text_of(plain));
  std::map<std::u32string, int> costs;  // of words of the dictionary, and pairs of them
  const auto add = [&](const std::u32string& found) {
    const std::u32string form = lowered(found);
    int cost = static_cast<int>(slip_cost(plain, form));
    if (!sound.empty() && sound_of(text_of(form)) == sound) cost /= kSoundsAlike;
    if (form != found && shape == Shape::lower) cost += kCapital;
    if (form.find(U'\'') != std::u32string::npos && plain.find(U'\'') == std::u32string::npos) {
      cost += kPossessive;
    }
    costs.try_emplace(found, cost);
  };
  std::vector<std::u32string> asked;
  const auto ask = [&] {
    const std::vector<bool> is_word = are_words(asked);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (is_word[i]) add(asked[i]);
    }
    asked.clear();
  };
  for_each_candidate(shape == Shape::other ? word : plain, alphabet_,
                     [&](const std::u32string& candidate) {
                       asked.push_back(candidate);
                       asked.push_back(shaped(candidate, Shape::title));  // a name
                       if (asked.size() >= kBatch) ask();
                     });
  ask();
  if (!sound.empty()) {
    for (const std::u32string& found : words_that_sound(sound)) add(found);
  }
  for (const std::u32string& pair : pairs_of_words(plain)) costs.try_emplace(pair, kSplit);

  std::vector<std::pair<int, std::u32string>> ranked;
  ranked.reserve(costs.size());
  for (const auto& [found, cost] : costs) ranked.emplace_back(cost, found);
  std::ranges::stable_sort(ranked, {}, &std::pair<int, std::u32string>::first);
  std::vector<std::u32string> best;
  for (const auto& [cost, found] : ranked) {
    if (best.size() == suggestions_) break;
    auto suggestion = shape == Shape::other ? found : shaped(found, shape);
    if (std::ranges::find(best, suggestion) == best.end()) best.push_back(std::move(suggestion));
  }
  return best;
}

/// The dictionary's words of a sound, if it was made with sounds.
std::vector<std::u32string> Speller::words_that_sound(const std::string& sound) {
  std::vector<std::u32string> words;
  const std::string key = sound_key(sound);
  ++counts_.asked;
  if (!index_.filter().contains(key)) return words;
  ++counts_.passed;
  const std::optional<std::string_view> record = index_.find(key);
  if (!record) return words;
  ++counts_.found;
  for (std::string_view rest = *record; !rest.empty();) {
    const std::size_t end = std::min(rest.find(kSoundMark), rest.size());
    words.push_back(characters_of(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return words;
}

/// Two words with a space between them that was left out. Lists of words have all letters for
/// words; here one is a word if it is a or i.
std::vector<std::u32string> Speller::pairs_of_words(const std::u32string& word) {
  const auto is_part = [](const std::u32string& part) {
    return part.size() > 1 || part == U"a" || part == U"i";
  };
  std::vector<std::u32string> parts;
  for (std::size_t i = 1; i < word.size(); ++i) {
    parts.push_back(word.substr(0, i));
    parts.push_back(word.substr(i));
  }
  const std::vector<bool> is_word = are_words(parts);
  std::vector<std::u32string> pairs;
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    if (is_word[i] && is_word[i + 1] && is_part(parts[i]) && is_part(parts[i + 1])) {
      pairs.push_back(parts[i] + U' ' + parts[i + 1]);
    }
  }
  return pairs;
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
