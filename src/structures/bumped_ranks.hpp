// SPDX-License-Identifier: Apache-2.0
/// The ranks of bumped keys (structures/mphf.hpp) in a manifest, in order: the number of each.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.hpp"

namespace crivo {

/// Bytes: of each block of 65,536 ranks, n / 65,536 + 1 of them, and of one more, u64 the number of
/// bumped keys before it; of each bumped key, u16 its rank in its block. Over mapped bytes; bounded
/// on any.
class BumpedRanks {
 public:
  BumpedRanks() = default;
  /// Reads those of `count` bumped keys of n ranks. Throws Error(corrupt) if they are too short.
  BumpedRanks(base::FieldReader& fields, std::uint64_t n, std::uint64_t count);

  std::uint64_t count() const noexcept { return count_; }
  /// The number of the bumped key that has the rank, which is below n; count() if none has. O(log
  /// bumped keys of a block).
  std::uint64_t find(std::uint64_t rank) const noexcept;

  /// Appends those of these ranks, ascending and below n.
  static void append(std::span<const std::uint64_t> ranks, std::uint64_t n,
                     base::FieldWriter& fields);

 private:
  const std::byte* begins_ = nullptr;
  const std::byte* low_ranks_ = nullptr;
  std::uint64_t count_ = 0;
};

}  // namespace crivo
