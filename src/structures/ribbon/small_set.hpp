// SPDX-License-Identifier: Apache-2.0
/// The form for sets of fewer than 20,000 keys: one ribbon with bands of 128 that bumps nothing,
/// solved with the first of 64 seeds that works; its solution stands column by column, with no slot
/// wasted.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/ribbon/header.hpp"

namespace crivo::ribbon {

/// The whole section for `keys` with `values` of `width` bits.
/// Throws Error(bad_input) if no seed works, which random hashes meet with probability below
/// 2^-300.
base::Bytes build_small_set(std::span<const Hash128> keys, std::span<const std::uint64_t> values,
                            unsigned width);

/// Reads such a section, which must outlive it.
class SmallSet {
 public:
  /// Throws Error(corrupt) unless the section has the length that its header asks for.
  SmallSet(const Header& header, base::ByteView section);

  /// The key's value; for a key that was not built in, any value.
  std::uint64_t value(Hash128 hash) const noexcept;

 private:
  const std::byte* columns_;
  std::uint64_t slots_;
  unsigned width_;
  unsigned seed_;
};

}  // namespace crivo::ribbon
