// SPDX-License-Identifier: Apache-2.0
#include "records/token_matcher.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace crivo::records {

namespace {

constexpr std::size_t kFirstSlots = std::size_t{1} << 10;
constexpr std::size_t kLongFront = 4;
constexpr unsigned kFrontBits = 16;
constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;
constexpr std::uint64_t kMixHigh = 0xd6e8feb86659fd93;

// The lowest `size` (1 to 8) bytes.
constexpr std::uint64_t low_bytes(std::uint64_t value, std::size_t size) noexcept {
  return value & (~std::uint64_t{0} >> (64 - 8 * size));
}

}  // namespace

TokenMatcher::TokenMatcher()
    : short_sizes_(std::size_t{1} << 16),
      long_sizes_(std::size_t{1} << kFrontBits),
      slots_(kFirstSlots) {}

TokenMatcher::Text TokenMatcher::load(base::ByteView text) noexcept {
  if (text.size() >= kMaxToken) {
    return {base::load_le<std::uint64_t>(text.data()),
            base::load_le<std::uint64_t>(text.data() + 8)};
  }
  std::array<std::byte, kMaxToken> padded{};
  std::memcpy(padded.data(), text.data(), text.size());
  return {base::load_le<std::uint64_t>(padded.data()),
          base::load_le<std::uint64_t>(padded.data() + 8)};
}

TokenMatcher::Text TokenMatcher::front(const Text& text, std::size_t size) noexcept {
  if (size <= 8) return {low_bytes(text.low, size), 0};
  return {text.low, low_bytes(text.high, size - 8)};
}

std::uint32_t TokenMatcher::hash_of(const Text& text, std::size_t size) noexcept {
  const std::uint64_t both = (text.low + size) * kMix ^ std::rotl(text.high * kMixHigh, 32);
  return static_cast<std::uint32_t>((both ^ both >> 29) * kMix >> 32);
}

std::size_t TokenMatcher::place_of_front(const Text& text) noexcept {
  return low_bytes(text.low, kLongFront) * kMix >> (64 - kFrontBits);
}

std::size_t TokenMatcher::find(const Text& text, std::size_t size,
                               std::uint32_t hash) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.entry == 0) return at;
    if (slot.hash != hash) continue;
    const Entry& entry = entries_[slot.entry - 1];
    if (entry.size == size && entry.text == text) return at;
  }
}

bool TokenMatcher::insert(base::ByteView bytes, std::uint32_t token) {
  const Text text = load(bytes);
  const std::size_t size = bytes.size();
  const std::uint32_t hash = hash_of(text, size);
  if (slots_[find(text, size, hash)].entry != 0) return false;
  entries_.push_back({text, token, static_cast<std::uint32_t>(size)});
  if (2 * entries_.size() > slots_.size()) {
    std::vector<Slot> old(2 * slots_.size());
    std::swap(old, slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.entry == 0) continue;
      std::size_t at = slot.hash & mask;
      while (slots_[at].entry != 0) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }
  slots_[find(text, size, hash)] = {hash, static_cast<std::uint32_t>(entries_.size())};
  std::uint32_t& sizes =
      size < kLongFront ? short_sizes_[text.low & 0xffff] : long_sizes_[place_of_front(text)];
  sizes |= 1U << size;
  return true;
}

TokenMatcher::Match TokenMatcher::longest(base::ByteView bytes, std::size_t below) const noexcept {
  const Text text = load(bytes);
  const std::size_t most = std::min({bytes.size(), below - 1, kMaxToken});
  std::uint32_t sizes = short_sizes_[text.low & 0xffff];
  if (most >= kLongFront) sizes |= long_sizes_[place_of_front(text)];
  sizes &= (2U << most) - 1;
  while (sizes != 0) {
    const auto size = static_cast<std::size_t>(std::bit_width(sizes) - 1);
    const Text tried = front(text, size);
    const Slot& slot = slots_[find(tried, size, hash_of(tried, size))];
    if (slot.entry != 0) {
      return {entries_[slot.entry - 1].token, static_cast<std::uint32_t>(size)};
    }
    sizes ^= 1U << size;
  }
  return {static_cast<std::uint32_t>(bytes[0]), 1};
}

}  // namespace crivo::records
