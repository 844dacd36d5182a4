// SPDX-License-Identifier: Apache-2.0
/// How evenly the hashes of a set must be spread for what is built of it to have its size, and for
/// the build to keep to its memory: as evenly as random ones are.
#pragma once

#include <cstdint>
#include <string>

namespace crivo::stream {

/// Throws Error(bad_input) about the keys of `name`, a file or a directory. `can_be_keyed`: a
/// random seed gives them other hashes.
[[noreturn]] void fail_uneven(const std::string& name, bool can_be_keyed);

/// Thrown by whoever finds more keys in a cell than KeySpread allows. Not an Error: the reader of
/// the keys says whose they are.
struct UnevenHashes {};

/// The range of `hi` is cut into 2^cell_bits cells, of which none may have more than `most` keys.
/// It follows from the number of keys alone, so that no set is refused with less memory, more
/// threads or other shards that is built otherwise.
struct KeySpread {
  /// Sets of at most so many keys may be spread in any way: a partition of them takes little.
  static constexpr std::uint64_t kAnyKeys = std::uint64_t{1} << 16;

  unsigned cell_bits = 0;
  std::uint64_t most = UINT64_MAX;

  /// The spread of a set of n keys, of which up to `alike` have one `hi`. A set whose others are
  /// random breaks it with probability 2^-64 at most.
  static KeySpread of(std::uint64_t n, std::uint64_t alike = 1) noexcept;

  /// So many keys may be in a part of the range that is one of 2^bits, of at most cell_bits.
  std::uint64_t most_in(unsigned bits) const noexcept {
    const unsigned cells = cell_bits - bits;
    return most > UINT64_MAX >> cells ? UINT64_MAX : most << cells;
  }
};

}  // namespace crivo::stream
