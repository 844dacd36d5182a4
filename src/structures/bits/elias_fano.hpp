// SPDX-License-Identifier: Apache-2.0
/// Ascending lists of integers in about 2 + log2(universe / count) bits each (Elias 1974, Fano
/// 1971).
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/bytes.hpp"
#include "base/page_checks.hpp"
#include "base/sink.hpp"

// Ones of a word, counted and found without branches, which nothing could predict (Vigna,
// "Broadword implementation of rank/select queries", 2008), and without instructions that only
// some processors have.

namespace crivo::bits {

/// A one in each byte.
inline constexpr std::uint64_t kByteOnes = 0x0101010101010101U;

/// Byte i of the result says how many ones bytes 0 to i of `x` have; the last, all.
constexpr std::uint64_t running_ones(std::uint64_t x) noexcept {
  x -= (x >> 1) & 0x5555555555555555U;
  x = (x & 0x3333333333333333U) + ((x >> 2) & 0x3333333333333333U);
  return ((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fU) * kByteOnes;
}

/// How many of the eight bytes of `sums`, which ascend and are below 128, are at most `limit`
/// (below 128).
constexpr std::uint64_t at_most(std::uint64_t sums, std::uint64_t limit) noexcept {
  const std::uint64_t flags = ((limit * kByteOnes | kByteOnes << 7) - sums) >> 7 & kByteOnes;
  return (flags * kByteOnes) >> 56;
}

/// The place of the one of `word` before which there are `before` others; `word` has more than
/// those, and `sums` is running_ones(word). First the byte by its running count of ones, then, with
/// the byte's bits spread over eight bytes, the bit in the same way.
constexpr unsigned select_one(std::uint64_t word, std::uint64_t sums,
                              std::uint64_t before) noexcept {
  const auto byte = static_cast<unsigned>(8 * at_most(sums, before));
  before -= (sums << 8 >> byte) & 0xff;
  const std::uint64_t bits = ((word >> byte & 0xff) * kByteOnes) & 0x8040201008040201U;
  const std::uint64_t bit_sums = ((bits + 0x7f * kByteOnes) >> 7 & kByteOnes) * kByteOnes;
  return byte + static_cast<unsigned>(at_most(bit_sums, before));
}

/// An ascending list of integers in [0, universe), at most as many as those (equal ones may follow
/// each other), resting on mapped bytes. An integer is
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
  base::Pages pages_;
  std::uint64_t size_ = 0;
  std::uint64_t universe_ = 0;
  unsigned low_bits_ = 0;
  std::uint64_t high_words_ = 0;
  const std::byte* low_ = nullptr;
  const std::byte* high_ = nullptr;
  const std::byte* samples_ = nullptr;
};

}  // namespace crivo::bits
