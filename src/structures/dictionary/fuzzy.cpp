// SPDX-License-Identifier: Apache-2.0
#include "structures/dictionary/fuzzy.hpp"

#include <algorithm>

#include "crivo/error.hpp"

namespace crivo::dictionary {
namespace {

/// UTF-8 has no longer characters.
constexpr std::size_t kMostCharacter = 4;
/// After so many keys that are passed, those behind all of them are sought.
constexpr unsigned kPassed = 48;

/// The rows of what a key begins with, which the next key may begin with, too.
class Rows {
 public:
  explicit Rows(const EditAutomaton& automaton)
      : automaton_(automaton), rows_{{0, 0, automaton.begin()}} {}

  /// Goes over to another key, which has `shared` bytes in common with the last one. Returns how
  /// many of its bytes rule out all keys that begin with them; 0: it is near enough, or may only
  /// lack more.
  std::size_t take(std::string_view key, std::size_t shared) {
    while (rows_.back().known > shared) rows_.pop_back();
    while (rows_.back().end < key.size()) {
      const std::size_t begin = rows_.back().end;
      std::size_t bytes = 0;
      bool is_code_point = false;
      const auto character = EditAutomaton::first(key.substr(begin), bytes, is_code_point);
      // With other bytes behind it, what is none here may be a part of a code point.
      const std::size_t known = begin + (is_code_point ? bytes : kMostCharacter);
      rows_.push_back(
          {begin + bytes, known, automaton_.step(rows_.back().row, rows_.size(), character)});
      if (!automaton_.is_alive(rows_.back().row)) return known;
    }
    return 0;
  }
  unsigned distance() const noexcept {
    return automaton_.distance(rows_.back().row, rows_.size() - 1);
  }

 private:
  struct Entry {
    std::size_t end;    ///< of its character in the key
    std::size_t known;  ///< keys that share so many bytes have the character
    EditAutomaton::Row row;
  };

  const EditAutomaton& automaton_;
  std::vector<Entry> rows_;
};

}  // namespace

EditAutomaton::EditAutomaton(std::string_view text, unsigned edits) : edits_(edits) {
  while (!text.empty()) {
    std::size_t bytes = 0;
    bool is_code_point = false;
    text_.push_back(first(text, bytes, is_code_point));
    text.remove_prefix(bytes);
  }
}

EditAutomaton::Character EditAutomaton::first(std::string_view text, std::size_t& bytes,
                                              bool& is_code_point) noexcept {
  const std::size_t length = utf8_length(text.substr(0, kMostCharacter));
  is_code_point = length != 0;
  bytes = std::max<std::size_t>(length, 1);
  Character character = 0;
  for (const char byte : text.substr(0, bytes))
    character = character << 8 | static_cast<unsigned char>(byte);
  return character;
}

EditAutomaton::Row EditAutomaton::begin() const noexcept {
  Row row;
  row.fill(kFar);
  for (unsigned c = edits_; c <= 2 * edits_ && c - edits_ <= text_.size(); ++c)
    row[c] = static_cast<std::uint8_t>(c - edits_);
  return row;
}

EditAutomaton::Row EditAutomaton::step(const Row& before, std::size_t i,
                                       Character character) const noexcept {
  Row row;
  row.fill(kFar);
  for (unsigned c = 0; c <= 2 * edits_; ++c) {
    if (i + c < edits_ || i + c - edits_ > text_.size()) continue;
    const std::size_t at = i + c - edits_;  // characters of the text
    unsigned least = kFar;
    if (at != 0) least = before[c] + (text_[at - 1] == character ? 0U : 1U);
    if (c < 2 * edits_) least = std::min(least, before[c + 1] + 1U);
    if (c != 0) least = std::min(least, row[c - 1] + 1U);
    row[c] = static_cast<std::uint8_t>(std::min<unsigned>(least, kFar));
  }
  return row;
}

bool EditAutomaton::is_alive(const Row& row) const noexcept {
  return *std::min_element(row.begin(), row.end()) <= edits_;
}

unsigned EditAutomaton::distance(const Row& row, std::size_t i) const noexcept {
  if (i > text_.size() + edits_ || i + edits_ < text_.size()) return kFar;
  return row[text_.size() + edits_ - i];
}

bool for_each_near(const Reader& reader, std::string_view text, unsigned edits,
                   const std::function<void(std::uint64_t id, unsigned edits)>& visit) {
  const EditAutomaton automaton(text, edits);
  Rows rows(automaton);
  Walk walk(reader);
  std::size_t shared = 0;  // by the key and the one that the rows are of
  for (bool more = walk.seek(0); more;) {
    const std::size_t ruled_out = rows.take(walk.key(), shared);
    if (ruled_out == 0) {
      if (const unsigned distance = rows.distance(); distance <= edits) visit(walk.id(), distance);
      more = walk.next();
      shared = walk.shared();
      continue;
    }
    shared = ruled_out;
    for (unsigned passed = 0; more && shared >= ruled_out && passed != kPassed; ++passed) {
      more = walk.next();
      shared = std::min(shared, walk.shared());
    }
    if (more && shared >= ruled_out) {
      const std::string_view front = walk.key().substr(0, ruled_out);
      more = walk.seek(std::max(reader.find(front, Bound::past_prefix).id, walk.id() + 1));
      shared = 0;
    }
  }
  return !walk.is_malformed();
}

}  // namespace crivo::dictionary
