// SPDX-License-Identifier: Apache-2.0
/// The order in which distinct keys stand in their input.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace crivo::input {

/// The place of each of n keys among them, from 0, in the order of the input; of a key that is
/// there more than once, the first time counts. Immutable; safe for any number of threads.
class KeyOrder {
 public:
  /// Orders keys with these numbers in an input of `collected` keys. O(collected), and two bits of
  /// memory for each, if some were left out; otherwise O(1).
  KeyOrder(std::span<const std::uint64_t> numbers, std::uint64_t collected);

  /// The place of the key with this number.
  std::uint64_t place(std::uint64_t number) const noexcept;

 private:
  std::vector<std::uint64_t> kept_;    ///< a bit for each key read; empty if all were kept
  std::vector<std::uint64_t> before_;  ///< the keys kept before each word of them
};

inline KeyOrder::KeyOrder(std::span<const std::uint64_t> numbers, std::uint64_t collected) {
  if (collected == numbers.size()) return;
  kept_.resize(collected / 64 + 1);
  for (const std::uint64_t number : numbers) kept_[number / 64] |= std::uint64_t{1} << number % 64;
  before_.reserve(kept_.size());
  std::uint64_t before = 0;
  for (const std::uint64_t word : kept_) {
    before_.push_back(before);
    before += static_cast<std::uint64_t>(std::popcount(word));
  }
}

inline std::uint64_t KeyOrder::place(std::uint64_t number) const noexcept {
  if (kept_.empty()) return number;
  const std::uint64_t lower = kept_[number / 64] & ((std::uint64_t{1} << number % 64) - 1);
  return before_[number / 64] + static_cast<std::uint64_t>(std::popcount(lower));
}

}  // namespace crivo::input
