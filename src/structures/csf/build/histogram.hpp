// SPDX-License-Identifier: Apache-2.0
/// How often each value occurs, and what that says of the values' entropy.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "stream/hash_source.hpp"
#include "structures/retrieval/build/value_source.hpp"

namespace crivo::csf {

/// Linear probing in a table of fixed size, at most half full.
class ValueIndex {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// Room for `capacity` values, at most 2^30.
  explicit ValueIndex(std::uint32_t capacity) {
    while (std::uint64_t{1} << bits_ < 2 * std::uint64_t{capacity}) ++bits_;
    slots_.assign(std::size_t{1} << bits_, kNone);
  }

  /// The distinct values so far, in the order of their numbers.
  const std::vector<std::uint64_t>& values() const noexcept { return values_; }

  /// The value's number, or kNone.
  std::uint32_t find(std::uint64_t value) const noexcept { return slots_[slot_of(value)]; }

  /// The value's number, given now if it had none. There must be room for it.
  std::uint32_t insert(std::uint64_t value) {
    std::uint32_t& number = slots_[slot_of(value)];
    if (number == kNone) {
      number = static_cast<std::uint32_t>(values_.size());
      values_.push_back(value);
    }
    return number;
  }

 private:
  std::size_t slot_of(std::uint64_t value) const noexcept {
    std::size_t at = base::top_bits(base::mix64(value), bits_);
    while (slots_[at] != kNone && values_[slots_[at]] != value) at = (at + 1) % slots_.size();
    return at;
  }

  unsigned bits_ = 1;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint64_t> values_;
};

/// The values that codes are made for at most.
inline constexpr std::uint32_t kMaxSymbols = 1U << 16;

/// Where more values than kMaxSymbols differ, those of at most about so many keys are counted: of
/// all, or of a sample of every 2^s-th, whose hashes say that they belong to it.
inline constexpr std::uint64_t kSampleKeys = std::uint64_t{1} << 19;

struct Symbol {
  std::uint64_t value;
  std::uint64_t count;  ///< in all; estimated from a sample, if there is one
};

struct Histogram {
  std::uint64_t n = 0;          ///< values in all
  unsigned width = 0;           ///< bits of the largest
  std::uint64_t entropy = 0;    ///< in 2^-32 bits a value: of a random one of the n, or the sample
  std::vector<Symbol> symbols;  ///< the kMaxSymbols most frequent, of a sample only those that it
                                ///< has twice: descending by count, then ascending by value. Unless
                                ///< they are all values that occur, their counts add up to less
                                ///< than n.
};

/// Counts the values of n keys, which may come in any sequence. What comes out depends on keys and
/// values alone; the same on every machine: no floating point. Memory: 2 MiB a thread, and 8 bytes
/// a key of the sample.
class ValueCounter {
 public:
  explicit ValueCounter(std::uint64_t n);
  ~ValueCounter();

  /// Each key once, from any thread.
  void add(const stream::KeySlice& keys, const retrieval::ValueSource& values);
  /// Last call.
  Histogram finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Returns the histogram of the values of `keys`, in one pass.
Histogram histogram_of(const stream::HashSource& keys, const retrieval::ValueSource& values,
                       const base::BuildContext& context);

/// In bytes, for the files of sharded builds (formats/parts.md): without n.
base::Bytes encode(const Histogram& histogram);
/// Decodes the histogram of n values. Throws Error(corrupt), in whose message `what` is, if none is
/// like it.
Histogram decode_histogram(base::ByteView bytes, std::uint64_t n, std::string_view what);

/// log2(x) in units of 2^-32, rounded down; `x` is not 0.
std::uint64_t log2_fixed(std::uint64_t x) noexcept;

}  // namespace crivo::csf
