// SPDX-License-Identifier: Apache-2.0
/// The part of a lookup in an exact set that is compiled into its caller: what the first half of a
/// key's hash settles. Not an interface; Exact's lookups are. formats/exact.md specifies all of it.
#pragma once

#include <atomic>
#include <cstdint>

#include "crivo/detail/export.hpp"

namespace crivo::detail {

/// The first half of the hash of a key in a group, of the first half of either.
constexpr std::uint64_t half_in_group(std::uint64_t group, std::uint64_t key) noexcept {
  std::uint64_t x = key ^ group;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
  x = (x ^ x >> 27) * 0x94d049bb133111ebU;
  return x ^ x >> 31;
}

/// Is said by a lookup by a first half where that is not enough: none of ExactAnswer's numbers.
inline constexpr std::uint8_t kWholeHash = 4;

/// How keys of one class are answered for, as numbers of ExactAnswer: two calls, which know the
/// forms of the filter and of the function of one bit.
struct ExactRule {
  static bool passes_none(const void*, std::uint64_t, std::uint64_t) noexcept { return false; }
  static bool passes_all(const void*, std::uint64_t, std::uint64_t) noexcept { return true; }
  static std::uint8_t tells_nothing(const void*, std::uint64_t) noexcept { return kWholeHash; }

  bool (*passes)(const void* filter, std::uint64_t hi, std::uint64_t lo) noexcept = passes_none;
  const void* filter = nullptr;
  /// The bit of a key that passes, or kWholeHash.
  std::uint8_t (*bit)(const void* function, std::uint64_t hi) noexcept = tells_nothing;
  const void* function = nullptr;
  std::uint8_t refused = 0;  ///< the answer for what does not pass

  [[gnu::always_inline]] std::uint8_t settle(std::uint64_t hi) const noexcept {
    return passes(filter, hi, 0) ? bit(function, hi) : refused;
  }
};

/// Where keys of a group may have flips: a bitmap by the first bits of hashes, from a bit on.
struct FlipBits {
  const std::uint64_t* words = nullptr;  ///< none: there is no flip
  std::uint64_t first = 0;
  std::uint32_t shift = 0;  ///< 63 less the first bits that count

  [[gnu::always_inline]] bool may_flip(std::uint64_t hi) const noexcept {
    if (words == nullptr) return false;
    const std::uint64_t bit = first + (hi >> 1 >> shift);
    return (words[bit / 64] >> (bit % 64) & 1) != 0;
  }
};

/// The rule of a group, and its flips.
struct ExactLookup {
  ExactRule rule;
  FlipBits flips;
  /// Whether anyone has come upon damaged bytes: then an answer may rest on them.
  const std::atomic<bool>* damage;

  /// The answer for a key whose hash in the group begins with `hi`, or kWholeHash.
  [[gnu::always_inline]] std::uint8_t settle(std::uint64_t hi) const noexcept {
    if (flips.may_flip(hi)) return kWholeHash;
    const std::uint8_t settled = rule.settle(hi);
    return damage->load(std::memory_order_relaxed) ? kWholeHash : settled;
  }
};

}  // namespace crivo::detail
