// SPDX-License-Identifier: Apache-2.0
/// Ascending lists of integers in about 2 + log2(universe / count) bits each (Elias 1974, Fano
/// 1971).
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/bytes.hpp"
#include "base/sink.hpp"

namespace crivo::bits {

/// A strictly ascending list of integers in [0, universe), resting on mapped bytes. An integer is
/// its `low_bits` low bits in one array and, in another, a one at bit (integer >> low_bits) +
/// index; `samples` holds the place of every 128th one. formats/phast.md gives the bytes.
class EliasFano {
 public:
  EliasFano() = default;
  /// Reads a list's arrays at the reader's position, which is left after them; they stay where they
  /// are. Only their sizes are checked, so O(1). Throws Error(corrupt).
  EliasFano(base::FieldReader& reader, std::uint64_t universe);

  /// Calls use(value) for all values of a list in order, as often as is asked.
  using Values = std::function<void(const std::function<void(std::uint64_t value)>& use)>;

  /// Appends the list of `size` values, in some kilobytes of memory. Goes over them three times.
  static void write(std::uint64_t size, const Values& values, std::uint64_t universe,
                    base::Sink& sink);
  /// The same of values that are in memory.
  static void write(std::span<const std::uint64_t> values, std::uint64_t universe,
                    base::Sink& sink);

  std::uint64_t size() const noexcept { return size_; }
  /// The integer at `index`. Whatever the bytes and `index` are, the answer is below the universe
  /// (or 0) and no byte outside the arrays is read. O(1) for an evenly spread list, else bounded by
  /// the length of the array.
  std::uint64_t operator[](std::uint64_t index) const noexcept;

  /// Asks for the cache lines that operator[] begins with.
  void prefetch(std::uint64_t index) const noexcept;
  /// Once those are there: asks for the one with which it ends.
  void prefetch_high(std::uint64_t index) const noexcept;

 private:
  std::uint64_t size_ = 0;
  std::uint64_t universe_ = 0;
  unsigned low_bits_ = 0;
  std::uint64_t high_words_ = 0;
  const std::byte* low_ = nullptr;
  const std::byte* high_ = nullptr;
  const std::byte* samples_ = nullptr;
};

}  // namespace crivo::bits
