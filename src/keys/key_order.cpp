#include "keys/key_order.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace crivo::keys {

KeyOrder::KeyOrder(const HashedKeys& numbered) : numbers_(&numbered.values) {
  const std::uint64_t n = numbered.hashes.size();
  if (numbered.collected == n) return;
  kept_.resize(numbered.collected / 64 + 1);
  std::array<std::uint64_t, 512> block;
  for (std::uint64_t first = 0; first < n; first += block.size()) {
    const auto numbers = std::span(block).first(std::min<std::uint64_t>(block.size(), n - first));
    numbers_->copy(first, numbers);
    for (const std::uint64_t number : numbers)
      kept_[number / 64] |= std::uint64_t{1} << number % 64;
  }
  before_.reserve(kept_.size());
  std::uint64_t before = 0;
  for (const std::uint64_t word : kept_) {
    before_.push_back(before);
    before += static_cast<std::uint64_t>(std::popcount(word));
  }
}

void KeyOrder::copy(std::uint64_t first, std::span<std::uint64_t> places) const noexcept {
  numbers_->copy(first, places);
  if (kept_.empty()) return;
  for (std::uint64_t& place : places) {
    const std::uint64_t lower = kept_[place / 64] & ((std::uint64_t{1} << place % 64) - 1);
    place = before_[place / 64] + static_cast<std::uint64_t>(std::popcount(lower));
  }
}

}  // namespace crivo::keys
