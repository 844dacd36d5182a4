/// How often each value occurs, and what that says of the values' entropy.
#pragma once

#include <cstdint>
#include <vector>

#include "stream/key_slice.hpp"

namespace crivo::coded {

/// The values that codes are made for at most.
inline constexpr std::uint32_t kMaxSymbols = 1U << 16;

struct Symbol {
  std::uint64_t value;
  std::uint64_t count;
};

struct Histogram {
  std::uint64_t n = 0;          ///< values in all
  unsigned width = 0;           ///< bits of the largest
  std::uint64_t entropy = 0;    ///< in 2^-32 bits a value: of a random one of the n
  std::vector<Symbol> symbols;  ///< the kMaxSymbols most frequent: descending by count, then
                                ///< ascending by value
};

/// Of the values of `keys`. If more than kMaxSymbols differ, it takes 8 bytes a key. The same on
/// every machine: no floating point.
Histogram histogram_of(const stream::KeySlice& keys, unsigned threads);

/// log2(x) in units of 2^-32, rounded down; `x` is not 0.
std::uint64_t log2_fixed(std::uint64_t x) noexcept;

}  // namespace crivo::coded
