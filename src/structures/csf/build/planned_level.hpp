// SPDX-License-Identifier: Apache-2.0
/// A level as it is written: its entry and code, from the plan.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "structures/csf/build/histogram.hpp"
#include "structures/csf/build/plan.hpp"
#include "structures/csf/section.hpp"

namespace crivo::csf {

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
