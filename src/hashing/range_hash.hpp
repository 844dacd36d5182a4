// SPDX-License-Identifier: Apache-2.0
/// Hashes of numbers that keep the order of those near to each other (formats/range.md): what
/// filters that answer ranges are built over. After Costa, Ferragina and Vinciguerra, "Grafite:
/// Taming Adversarial Queries with Optimal Range Filters", SIGMOD 2024.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "crivo/detail/hash128.hpp"
#include "hashing/hash128.hpp"
#include "hashing/siphash.hpp"

namespace crivo::hashing {

/// A run of 2^kRunBits numbers, that begins at a multiple of it, has one hash `hi`.
inline constexpr unsigned kRunBits = 12;
inline constexpr std::uint64_t kRunNumbers = std::uint64_t{1} << kRunBits;

/// The longest key that is a number.
inline constexpr std::uint64_t kMaxNumberBytes = 8;

/// The number of a key of at most kMaxNumberBytes: that of its bytes, the highest first.
constexpr std::uint64_t number_of(std::string_view key) noexcept {
  std::uint64_t number = 0;
  for (const char c : key) number = number << 8 | static_cast<unsigned char>(c);
  return number;
}

/// `hi` is the usual hash of the number's run, `lo` the number itself: distinct numbers have
/// distinct hashes, and those of a run follow each other in order.
inline Hash128 range_hash(std::uint64_t number, std::uint64_t seed) noexcept {
  return {hash_key(number >> kRunBits, seed).hi, number};
}

/// The same by SipHash of the run, under the key (seed, 0).
inline Hash128 keyed_range_hash(std::uint64_t number, std::uint64_t seed) noexcept {
  std::array<char, 8> run{};
  base::store_le(run.data(), number >> kRunBits);
  return {siphash128({run.data(), run.size()}, {seed, 0}).hi, number};
}

using HashNumber = Hash128 (*)(std::uint64_t number, std::uint64_t seed) noexcept;

/// Either of a key. One that is too long to be a number, and so in no set, has its usual hash.
template <HashNumber kHash>
Hash128 hash_of_text(std::string_view key, std::uint64_t seed) noexcept {
  return key.size() <= kMaxNumberBytes ? kHash(number_of(key), seed) : hash_key(key, seed);
}

/// Either of a number's 8 bytes, the lowest first, as programs hand them over.
template <HashNumber kHash>
Hash128 hash_of_bytes(std::string_view key, std::uint64_t seed) noexcept {
  std::uint64_t number = 0;
  for (std::size_t i = key.size(); i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(key[i]);
  return kHash(number, seed);
}

}  // namespace crivo::hashing
