// SPDX-License-Identifier: Apache-2.0
/// The cells of Bloom filters in memory, to be filled and changed.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/sink.hpp"
#include "structures/bloom/cells.hpp"

namespace crivo::filter {

/// Cells in memory, to be filled and changed. Cell i has the bits from i * bits() on.
class CellArray {
 public:
  /// `count` cells of 0; bits from 1 to 32.
  CellArray(std::uint64_t count, unsigned bits);
  /// The cells of a section that `header` was decoded from.
  CellArray(const BloomHeader& header, base::ByteView section);

  std::uint64_t size() const noexcept { return count_; }
  unsigned bits() const noexcept { return bits_; }
  /// A cell of this value is saturated: it counts neither up nor down any more.
  std::uint64_t limit() const noexcept { return (std::uint64_t{1} << bits_) - 1; }

  std::uint64_t value(std::uint64_t index) const noexcept {
    return cell_value(index, bits_, [this](std::uint64_t word) { return words_[word]; });
  }
  /// Adds one, unless it is saturated. Touches no word that has no bit of the cell.
  void increment(std::uint64_t index) noexcept {
    if (bits_ == 1) {
      words_[index / 64] |= std::uint64_t{1} << (index % 64);
      return;
    }
    if (value(index) == limit()) return;
    const std::uint64_t at = index * bits_;
    words_[at / 64] += std::uint64_t{1} << (at % 64);
    if (straddles(at) && words_[at / 64] >> (at % 64) == 0) ++words_[at / 64 + 1];
  }
  /// Takes one off a cell that is not 0, unless it is saturated.
  void decrement(std::uint64_t index) noexcept {
    if (value(index) == limit()) return;
    const std::uint64_t at = index * bits_;
    if (straddles(at) && words_[at / 64] >> (at % 64) == 0) --words_[at / 64 + 1];
    words_[at / 64] -= std::uint64_t{1} << (at % 64);
  }

  /// Adds to `occupied` and `saturated` in `header`. O(size()).
  void count_into(BloomHeader& header) const noexcept;
  /// Appends the words of the cells.
  void append_to(base::Sink& sink) const;

  /// The bits of the cells in words, for plain filters of equal shape to be combined.
  std::vector<std::uint64_t>& words() noexcept { return words_; }
  const std::vector<std::uint64_t>& words() const noexcept { return words_; }

 private:
  bool straddles(std::uint64_t at) const noexcept { return at % 64 + bits_ > 64; }

  std::uint64_t count_;
  unsigned bits_;
  std::vector<std::uint64_t> words_;
};

/// Appends the section of all cells, which it counts; `header.saturated` is that of counters.
void write_section(BloomHeader header, const CellArray& cells, bool counts, base::Sink& sink);

}  // namespace crivo::filter
