// SPDX-License-Identifier: Apache-2.0
/// Decides from a histogram how values are coded, level by level, and what is written of
/// each level: its entry and code.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "structures/csf/build/histogram.hpp"
#include "structures/csf/prefix_code.hpp"
#include "structures/csf/section.hpp"

namespace crivo::csf {

/// Says what happens to the keys of a level. First, where there is a filter, the keys whose value
/// is not `dominant` are put in it; a key that it does not report has the dominant value, and is
/// done. The others' values are coded, and those that escape are the keys of the next level; or
/// they are plain numbers, which only the last level has.
struct LevelPlan {
  unsigned filter_bits = 0;  ///< of a fingerprint; 0: no filter
  std::uint64_t dominant = 0;
  bool plain = false;
  LengthCounts lengths{};               ///< unless plain
  std::vector<std::uint64_t> symbols;   ///< by codeword, unless plain; 0 for the escape
  std::optional<std::uint32_t> escape;  ///< the codeword after which the next level is asked
  // The expected counts (the histogram may be that of a sample):
  std::uint64_t others = 0;     ///< keys of the level that have not the dominant value
  std::uint64_t coded = 0;      ///< keys of the level that its filter, if any, reports
  std::uint64_t code_bits = 0;  ///< of their codewords together
  std::uint64_t escaped = 0;    ///< keys of the next level
};

/// The plan of least cost among those considered: none for no values. Every level but the last has
/// an escape. Integer arithmetic, so the same on every machine.
std::vector<LevelPlan> make_plan(const Histogram& histogram);

/// The codeword of each value of a level.
class Codebook {
 public:
  explicit Codebook(const LevelPlan& plan);

  /// The number of the value's codeword: the escape's, where it has none.
  std::uint32_t number(std::uint64_t value) const noexcept {
    const std::uint32_t symbol = index_.find(value);
    return symbol == ValueIndex::kNone ? escape_.value_or(0) : numbers_[symbol];
  }
  Codeword word(std::uint32_t number) const noexcept { return words_[number]; }

 private:
  std::vector<Codeword> words_;
  std::optional<std::uint32_t> escape_;
  ValueIndex index_;
  std::vector<std::uint32_t> numbers_;  // of the codewords, by symbol
};

/// Immutable; for any number of threads.
struct PlannedLevel {
  PlannedLevel(LevelPlan plan, unsigned partition_bits);

  /// The lengths of the codewords, and the symbols, of values below 2^width; nothing if it is
  /// plain.
  base::Bytes encode_code(unsigned width) const;

  LevelPlan plan;
  LevelEntry entry;
  Codebook book;
};

}  // namespace crivo::csf
