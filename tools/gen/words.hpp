// SPDX-License-Identifier: Apache-2.0
/// Keys like the vocabulary of a large text collection (TREC-VLC2: 10,935,928 terms, 1 to 25 bytes,
/// mean 8.52): pronounceable terms, numbers, letter-digit mixtures, stretched vowels, long
/// compounds.
#pragma once

#include <cstdint>

#include "gen/permutation.hpp"
#include "gen/text.hpp"

namespace crivo::gen {

/// Word i of a seed. Every group of 64 consecutive indices is shared out among the classes of terms
/// below (so many slots each, which indices fall to which class depends on the seed), and each
/// class spends its own values in a permuted order. A class that is spent leaves its slots to the
/// `reserve`, so lengths grow slowly with the number of words: mean 8.5 up to 2 * 10^7 words, 9.2
/// at 10^8.
///
/// They are no sample of a language: each class combines small tables, of whose combinations a good
/// part occurs (at 10^7 words a quarter of all numbers of up to 7 digits, 4 of 10 of the words that
/// begin with a vowel, nearly all of those of two syllables). A hash function that is linear in the
/// bytes of a key (`universal`) sees that: with its weights drawn anew, a random graph of
/// 10,935,928 of these words is acyclic far less often than one of real words
/// (tools/experiments, `faithful`).
///
/// Distinct indices give distinct words: (class, running number in the class) tells the index;
/// within a class the text tells the value (text.hpp: syllables and decimals are read back in one
/// way); and no text belongs to two classes. Those of letters only differ in the number of vowel
/// runs or in how they start, or hold an 'x' or a tripled vowel, which no other has; the rest
/// differ in where digits stand; and all but the class of short tokens have at least 4 bytes.
class Words {
 public:
  static constexpr std::uint64_t kCapacity = std::uint64_t{1} << 40;
  static constexpr std::size_t kMaxSize = 25;

  explicit Words(std::uint64_t seed) noexcept;

  /// Writes word `index` < kCapacity at `p`, which has room for kMaxSize + kSlack bytes.
  char* write(std::uint64_t index, char* p) const noexcept;

 private:
  char* write_short_token(char* p, std::uint64_t number) const noexcept;
  char* write_compound(char* p, std::uint64_t value) const noexcept;

  std::uint64_t salt_;
  Permutation slots_;
  Permutation short1_, short2_, short3_;  ///< the tokens of 1, 2 and 3 letters or digits
  Permutation numbers_;                   ///< 4 to 7 digits
  Permutation digits_letters_;            ///< "1024kama"
  Permutation letters_digits_;            ///< "kamo417"
  Permutation vowel_first_;               ///< "akamor"
  Permutation two_;                       ///< two syllables and a coda
  Permutation three_;                     ///< three syllables and a coda
  Permutation four_;                      ///< four syllables
  Permutation stretched_;                 ///< two syllables, the first vowel tripled
  Permutation compounds_;                 ///< three syllables, 'x', filler up to 14 to 25 bytes
  Permutation reserve_;                   ///< five syllables
};

}  // namespace crivo::gen
