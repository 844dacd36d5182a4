// SPDX-License-Identifier: Apache-2.0
/// The keys of a dictionary that are a few edits away from a text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "structures/dictionary/reader.hpp"

namespace crivo::dictionary {

/// The edits that may be asked for.
inline constexpr unsigned kMostEdits = 2;

/// A Levenshtein automaton of a text: it takes a key character after character, and tells how many
/// characters must be replaced, left out or put in between to make one of the other. Its states are
/// the rows of the table of distances (Ukkonen, 1985), of which only the cells near the diagonal
/// can be at most `edits`.
///
/// A character is a code point in UTF-8, or a byte that is no part of one.
class EditAutomaton {
 public:
  /// A character, its bytes being the lowest ones.
  using Character = std::uint32_t;
  /// Cell c of the row after i characters: the edits between these and the first i + c - edits of
  /// the text; kMostEdits + 1 stands for all above.
  using Row = std::array<std::uint8_t, 2 * kMostEdits + 1>;

  /// At most kMostEdits.
  EditAutomaton(std::string_view text, unsigned edits);

  /// Before the first character.
  Row begin() const noexcept;
  /// Behind character number i, the first one being 1, from the row before it.
  Row step(const Row& before, std::size_t i, Character character) const noexcept;
  /// Whether more characters may come to a key that is near enough.
  bool is_alive(const Row& row) const noexcept;
  /// The edits of a key of i characters; above edits() if it is not near enough.
  unsigned distance(const Row& row, std::size_t i) const noexcept;
  unsigned edits() const noexcept { return edits_; }

  /// The first character of a text, which is not empty, and its bytes; whether it is a code point.
  static Character first(std::string_view text, std::size_t& bytes, bool& is_code_point) noexcept;

 private:
  static constexpr std::uint8_t kFar = kMostEdits + 1;

  unsigned edits_;
  std::vector<Character> text_;
};

/// Calls visit(id, edits) for all keys at most so many edits (kMostEdits or less) away from a text,
/// in order. Most keys are passed by what they begin with, and not decoded. False where the
/// dictionary is malformed.
bool for_each_near(const Reader& reader, std::string_view text, unsigned edits,
                   const std::function<void(std::uint64_t id, unsigned edits)>& visit);

}  // namespace crivo::dictionary
