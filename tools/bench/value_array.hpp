// SPDX-License-Identifier: Apache-2.0
/// A map made of a function from keys to distinct ranks and an array of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/peer.h"
#include "bench/structure.hpp"

namespace crivo::bench {

/// A class for method_of(), of another such class whose answers are ranks below the number of keys.
/// A value takes its number of bits and no more.
template <typename Function>
class ValueArray {
 public:
  static std::unique_ptr<ValueArray> build(const crivo_bench_keys& keys, unsigned threads,
                                           const char*& why) {
    auto map = std::make_unique<ValueArray>();
    map->function_ = Function::build(keys, threads, why);
    if (!map->function_) return nullptr;
    map->keys_ = keys.count;
    map->width_ = keys.value_bits;
    map->words_.resize(keys.count * keys.value_bits / 64 + 2);
    map->function_->with_lookup(keys, [&](auto&& rank) {
      for (std::size_t i = 0; i < keys.count; ++i) map->store(rank(i), keys.values[i]);
    });
    return map;
  }

  std::uint64_t bits() const { return function_->bits() + keys_ * width_; }

  template <typename Use>
  void with_lookup(const crivo_bench_keys& keys, Use&& use) const {
    function_->with_lookup(keys, [&](auto&& rank) {
      use([&](std::size_t i) {
        const std::uint64_t at = rank(i);
        return at < keys_ ? load(at) : 0;  // a trie knows which keys are absent
      });
    });
  }

 private:
  // A value lies in one word or two; of a shift by 64 - s that may be by 64, one bit goes ahead.
  std::uint64_t load(std::uint64_t rank) const {
    const std::uint64_t bit = rank * width_;
    const std::uint64_t* const word = words_.data() + bit / 64;
    const std::uint64_t shift = bit % 64;
    return (word[0] >> shift | word[1] << 1 << (63 - shift)) & ((std::uint64_t{1} << width_) - 1);
  }
  void store(std::uint64_t rank, std::uint64_t value) {
    const std::uint64_t bit = rank * width_;
    std::uint64_t* const word = words_.data() + bit / 64;
    word[0] |= value << bit % 64;
    word[1] |= value >> 1 >> (63 - bit % 64);
  }

  std::unique_ptr<const Function> function_;
  std::uint64_t keys_ = 0;
  std::uint64_t width_ = 0;           ///< of a value, 1 to 63 bits
  std::vector<std::uint64_t> words_;  ///< the values one after another, and a word more
};

}  // namespace crivo::bench
