// SPDX-License-Identifier: Apache-2.0
/// SipHash-2-4, a hash under a secret key.
#pragma once

#include <cstdint>
#include <string_view>

#include "hashing/hash128.hpp"

namespace crivo::hashing {

/// The secret. Whoever does not know it cannot choose texts that have one hash.
struct SipKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  /// A fresh one. Throws Error(io) if the system has no random numbers.
  static SipKey random();
};

/// SipHash-2-4 (Aumasson, Bernstein, INDOCRYPT 2012) of the text, 64 bits: of any two texts, chosen
/// however without the key, the hashes are equal with probability 2^-64. O(text.size()), about a
/// byte a cycle.
std::uint64_t siphash(std::string_view text, const SipKey& key) noexcept;
/// The same with 128 bits, 2^-128: the first word of the output is `hi`, the second `lo`.
Hash128 siphash128(std::string_view text, const SipKey& key) noexcept;

}  // namespace crivo::hashing
