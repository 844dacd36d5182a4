// SPDX-License-Identifier: Apache-2.0
#include "input/key_order.hpp"

#include <bit>

namespace crivo::input {

KeyOrder::KeyOrder(std::span<const std::uint64_t> numbers, std::uint64_t collected) {
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

std::uint64_t KeyOrder::place(std::uint64_t number) const noexcept {
  if (kept_.empty()) return number;
  const std::uint64_t lower = kept_[number / 64] & ((std::uint64_t{1} << number % 64) - 1);
  return before_[number / 64] + static_cast<std::uint64_t>(std::popcount(lower));
}

}  // namespace crivo::input
