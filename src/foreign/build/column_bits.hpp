// SPDX-License-Identifier: Apache-2.0
/// A column of bits, written from the last to the first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "foreign/clubcard_key.hpp"

namespace crivo::foreign {

/// The 256 bits of a column from `row` on; those behind its words are 0.
inline Coefficients bits_from(const std::vector<std::uint64_t>& words, std::uint64_t row) noexcept {
  return window_of(row, [&](std::uint64_t i) { return i < words.size() ? words[i] : 0; });
}

/// Bits that are put in front of those that there are: of one column, the solutions of all systems.
class ColumnBits {
 public:
  /// For bits below `end`, a multiple of 64.
  explicit ColumnBits(std::uint64_t end) noexcept : end_(end) {}

  void push_front(bool bit) {
    if (size_ % 64 == 0) words_.push_back(0);
    ++size_;
    words_.back() |= std::uint64_t{bit} << (63 - (size_ - 1) % 64);
  }
  /// The place of the first bit.
  std::uint64_t begin() const noexcept { return end_ - size_; }
  /// The first 256 bits; 0 behind the end.
  Coefficients first() const noexcept {
    return window_of(begin() % 64, [&](std::uint64_t i) {
      return i < words_.size() ? words_.rbegin()[static_cast<std::ptrdiff_t>(i)] : 0;
    });
  }
  /// The words from `begin` on, a multiple of 64 at most begin(), without zeros at the end.
  std::vector<std::uint64_t> words(std::uint64_t begin) const {
    std::vector<std::uint64_t> words((end_ - begin) / 64, 0);
    std::ranges::copy(words_, words.rbegin());
    while (!words.empty() && words.back() == 0) words.pop_back();
    return words;
  }

 private:
  std::uint64_t end_;
  std::uint64_t size_ = 0;
  std::vector<std::uint64_t> words_;  ///< the last first
};

}  // namespace crivo::foreign
