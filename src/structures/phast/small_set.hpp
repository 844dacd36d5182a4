// SPDX-License-Identifier: Apache-2.0
/// Perfect hashing of a handful of keys: where the levels of a function end.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "base/sink.hpp"
#include "hashing/hash128.hpp"

namespace crivo::phast {

/// A bijection of at most kSmallRestKeys hashes by minimal displacement (Fox, Heath, Chen, Daoud,
/// "Practical minimal perfect hash functions for large databases", 1992; CHD, Belazzougui et al.
/// 2009): buckets of five keys on average, largest first, each with the least 16-bit seed that
/// sends its keys to free slots. 3.2 bits a key.
class SmallSet {
 public:
  SmallSet() = default;
  /// Reads the set of `keys` (1 to kSmallRestKeys) keys at the reader's position. Throws
  /// Error(corrupt).
  SmallSet(base::FieldReader& reader, std::uint64_t keys);

  /// Appends the set of `hashes`, 1 to kSmallRestKeys distinct ones. Throws Error(bad_input) for
  /// any other number, and if none of 64 salts will do, which distinct hashes do not bring about by
  /// chance.
  static void write(std::span<const Hash128> hashes, base::Sink& sink);

  /// A value below the number of keys; 0 for a set of none.
  std::uint64_t rank(Hash128 hash) const noexcept;

 private:
  std::uint64_t keys_ = 0;
  std::uint64_t salt_ = 0;
  const std::byte* seeds_ = nullptr;
};

}  // namespace crivo::phast
