/// The values that make a filter of a static function.
#pragma once

#include <cstdint>

#include "bits/arithmetic.hpp"
#include "hashing/hash128.hpp"

namespace crivo::retrieval {

/// The value that the function gives the keys of the set: `bits` (1 to 32) bits. No linear function
/// of `lo`, as the coefficients of a ribbon are.
constexpr std::uint64_t fingerprint(Hash128 hash, unsigned bits) noexcept {
  return bits::mix64(hash.lo ^ 0xc2b2ae3d27d4eb4fU) >> (64 - bits);
}

}  // namespace crivo::retrieval
