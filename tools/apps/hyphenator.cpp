// SPDX-License-Identifier: Apache-2.0
#include "apps/hyphenator.hpp"

#include <algorithm>

#include "apps/text.hpp"
#include "crivo/error.hpp"

namespace crivo::apps {

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

std::span<const Point> Hyphenator::points(std::string_view word) {
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
    const PatternSet& words = patterns_.words();
    const PatternSet* const compounds = patterns_.compounds();
    const bool has_changes =
        words.has_changes() || (compounds != nullptr && compounds->has_changes());
    replacements_.assign(has_changes ? levels_.size() : 0, {});
    if (compounds != nullptr) {
      divide(*compounds, 0, offsets_.size());
    } else {
      words.score(symbols_, levels_, replacements_);
    }
    forbid_beside_texts();
    take_points();
  }
  return points_;
}

void Hyphenator::read(std::string_view word) {
  lowered_.clear();
  offsets_.clear();
  symbols_.assign(1, Alphabet::kEnd);
  bytes_ = word.size();
  for (std::size_t i = 0; i < word.size();) {
    const Character character = decode(word.substr(i));
    const char32_t letter = lower(character.code);
    offsets_.push_back(i);
    if (character.code == kInvalid) {
      lowered_ += word[i];
      symbols_.push_back(Alphabet::kOther);
    } else {
      append(lowered_, letter);
      // A full stop within a word is not the end of one.
      symbols_.push_back(letter == U'.' ? Alphabet::kOther : patterns_.alphabet()[letter]);
    }
    i += character.bytes;
  }
  symbols_.push_back(Alphabet::kEnd);
}

/// Sets the levels by the hyphens that the word is stored with.
void Hyphenator::score_exception(std::string_view hyphenated) {
  levels_.assign(symbols_.size() + 1, 0);
  replacements_.clear();
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

/// Scores letters [begin, end) as a word of their own, whose places within it get its levels.
void Hyphenator::score(const PatternSet& patterns, std::size_t begin, std::size_t end) {
  const auto first = symbols_.begin() + 1;
  part_.assign(1, Alphabet::kEnd);
  part_.insert(part_.end(), first + static_cast<std::ptrdiff_t>(begin),
               first + static_cast<std::ptrdiff_t>(end));
  part_.push_back(Alphabet::kEnd);
  part_levels_.assign(part_.size() + 1, 0);
  part_replacements_.assign(replacements_.empty() ? 0 : part_levels_.size(), {});
  patterns.score(part_, part_levels_, part_replacements_);
  for (std::size_t i = 1; i < end - begin; ++i) {
    levels_[begin + i + 1] = part_levels_[i + 1];
    if (replacements_.empty()) continue;
    replacements_[begin + i + 1] = part_replacements_[i + 1];
    replacements_[begin + i + 1].begin += begin;
  }
}

/// Divides letters [begin, end) as compounds are, and what cannot be divided so as words.
void Hyphenator::divide(const PatternSet& compounds, std::size_t begin, std::size_t end) {
  score(compounds, begin, end);
  std::size_t word = begin;
  std::vector<std::size_t> ends;
  for (std::size_t i = begin + 1; i < end; ++i) {
    if (levels_[i + 1] % 2 == 1) ends.push_back(i);
  }
  if (!ends.empty()) {
    ends.push_back(end);
    for (const std::size_t next : ends) {
      divide(compounds, word, next);
      word = next;
    }
    return;
  }
  score(patterns_.words(), begin, end);
  const std::size_t left = begin == 0 ? 0 : patterns_.compound_left_min();
  const std::size_t right = end == offsets_.size() ? 0 : patterns_.compound_right_min();
  for (std::size_t i = begin + 1; i < end; ++i) {
    if (i - begin < left || end - i < right) levels_[i + 1] = 0;
  }
}

void Hyphenator::forbid_beside_texts() {
  for (const std::string& text : patterns_.unhyphenated()) {
    for (std::size_t at = lowered_.find(text); at != std::string::npos;
         at = lowered_.find(text, at + 1)) {
      levels_[letter_at(at) + 1] = 0;
      levels_[letter_at(at + text.size()) + 1] = 0;
    }
  }
}

/// The letter that begins at a byte of the lowered word.
std::size_t Hyphenator::letter_at(std::size_t byte) const noexcept {
  std::size_t letter = 0;
  for (std::size_t at = 0; at < byte; ++letter) {
    at += decode(std::string_view(lowered_).substr(at)).bytes;
  }
  return letter;
}

/// Where in the word as it is a letter begins, or where the last one ends.
std::size_t Hyphenator::offset_of(std::size_t letter) const noexcept {
  return letter < offsets_.size() ? offsets_[letter] : bytes_;
}

/// The points of odd levels that leave enough letters on both sides.
void Hyphenator::take_points() {
  const std::size_t left = std::max<std::size_t>(patterns_.left_min(), 1);
  const std::size_t right = std::max<std::size_t>(patterns_.right_min(), 1);
  for (std::size_t i = left; i + right <= offsets_.size(); ++i) {
    if (levels_[i + 1] % 2 == 1) points_.push_back(point_at(i));
  }
}

Point Hyphenator::point_at(std::size_t letter) const noexcept {
  const std::size_t offset = offsets_[letter];
  const Change* const change = replacements_.empty() ? nullptr : replacements_[letter + 1].change;
  if (change == nullptr) return {.offset = offset, .begin = offset, .end = offset};
  const std::size_t begin = replacements_[letter + 1].begin - 1;
  return {.offset = offset,
          .begin = offset_of(begin),
          .end = offset_of(begin + change->cut),
          .before = change->before,
          .after = change->after};
}

}  // namespace crivo::apps
