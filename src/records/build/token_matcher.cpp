// SPDX-License-Identifier: Apache-2.0
#include "records/build/token_matcher.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace crivo::records {

namespace {

constexpr std::size_t kFirstSlots = std::size_t{1} << 10;
// Tokens of so many bytes and more, below the next number, are in one table.
constexpr std::array<std::size_t, 5> kFronts{2, 4, 6, 8, 12};
constexpr unsigned kIndexBits = 16;  // of each table
constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;
constexpr std::uint64_t kMixHigh = 0xd6e8feb86659fd93;

// The lowest `size` (1 to 8) bytes.
constexpr std::uint64_t low_bytes(std::uint64_t value, std::size_t size) noexcept {
  return value & (~std::uint64_t{0} >> (64 - 8 * size));
}

constexpr std::size_t row_of(std::size_t size) noexcept {
  std::size_t row = 0;
  while (row + 1 < kFronts.size() && kFronts[row + 1] <= size) ++row;
  return row;
}

// Where the front of a text stands in a row's table.
constexpr std::size_t index_in(std::size_t row, std::uint64_t low, std::uint64_t high) noexcept {
  const std::size_t size = kFronts[row];
  const std::uint64_t bytes =
      size <= 8 ? low_bytes(low, size) : low ^ std::rotl(low_bytes(high, size - 8) * kMixHigh, 32);
  return (row << kIndexBits) + (bytes * kMix >> (64 - kIndexBits));
}

}  // namespace

TokenMatcher::TokenMatcher() : sizes_(kFronts.size() << kIndexBits), slots_(kFirstSlots) {}

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

std::uint64_t TokenMatcher::hash_of(const Text& text, std::size_t size) noexcept {
  const std::uint64_t both = (text.low + size) * kMix ^ std::rotl(text.high * kMixHigh, 32);
  return (both ^ both >> 29) * kMix;
}

std::uint32_t TokenMatcher::slot_of(std::uint64_t hash, std::uint32_t number) noexcept {
  return static_cast<std::uint32_t>(hash >> 32 >> kEntryBits << kEntryBits) | number;
}

inline std::uint32_t TokenMatcher::find(const Text& text, std::size_t size,
                                        std::size_t& at) const noexcept {
  const std::uint64_t hash = hash_of(text, size);
  const std::size_t mask = slots_.size() - 1;
  for (at = hash >> kEntryBits & mask;; at = (at + 1) & mask) {
    const std::uint32_t slot = slots_[at];
    if (slot == 0) return 0;
    const std::uint32_t number = slot & ((1U << kEntryBits) - 1);
    if (slot != slot_of(hash, number)) continue;
    const Entry& entry = entries_[number - 1];
    if (entry.size == size && entry.text == text) return number;
  }
}

void TokenMatcher::grow() {
  slots_.assign(2 * slots_.size(), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t number = 1; number <= entries_.size(); ++number) {
    const Entry& entry = entries_[number - 1];
    const std::uint64_t hash = hash_of(entry.text, entry.size);
    std::size_t at = hash >> kEntryBits & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = slot_of(hash, number);
  }
}

bool TokenMatcher::insert(base::ByteView bytes, std::uint32_t token) {
  const Text text = load(bytes);
  const std::size_t size = bytes.size();
  std::size_t at = 0;
  if (find(text, size, at) != 0) return false;
  entries_.push_back({text, token, static_cast<std::uint32_t>(size)});
  if (2 * entries_.size() > slots_.size()) {
    grow();
  } else {
    slots_[at] = slot_of(hash_of(text, size), static_cast<std::uint32_t>(entries_.size()));
  }
  const std::size_t row = row_of(size);
  sizes_[index_in(row, text.low, text.high)] |=
      static_cast<std::uint8_t>(1U << (size - kFronts[row]));
  return true;
}

TokenMatcher::Match TokenMatcher::longest(base::ByteView bytes, std::size_t below) const noexcept {
  const Text text = load(bytes);
  const std::size_t most = std::min({bytes.size(), below - 1, kMaxToken});
  // Where the text is shorter than a front, none of its sizes is left.
  std::uint32_t sizes = 0;
  for (std::size_t row = 0; row < kFronts.size(); ++row) {
    sizes |= std::uint32_t{sizes_[index_in(row, text.low, text.high)]} << kFronts[row];
  }
  sizes &= (2U << most) - 1;
  while (sizes != 0) {
    const auto size = static_cast<std::size_t>(std::bit_width(sizes) - 1);
    std::size_t at = 0;
    if (const std::uint32_t number = find(front(text, size), size, at); number != 0) {
      return {entries_[number - 1].token, static_cast<std::uint32_t>(size)};
    }
    sizes ^= 1U << size;
  }
  return {static_cast<std::uint32_t>(bytes[0]), 1};
}

}  // namespace crivo::records
