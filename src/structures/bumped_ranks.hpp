// SPDX-License-Identifier: Apache-2.0
/// The ranks of bumped keys (structures/mphf.hpp) in a manifest, in order: the number of each.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "base/page_checks.hpp"
#include "base/sink.hpp"
#include "base/spool.hpp"

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

  /// Collects the ranks of a manifest that is being written, in the scratch.
  class Writer {
   public:
    /// Takes ranks below n.
    Writer(std::uint64_t n, base::Scratch* scratch);
    /// Adds a rank below n; ranks ascend. Throws Error(io).
    void add(std::uint64_t rank);
    std::uint64_t count() const noexcept { return low_ranks_.size() / sizeof(std::uint16_t); }
    /// Appends the bytes. Once, last.
    void finish(base::Sink& sink);

   private:
    void begin_blocks(std::uint64_t end);

    std::uint64_t blocks_;
    std::uint64_t begun_ = 0;  ///< blocks
    base::Spool begins_;
    base::Spool low_ranks_;
  };

 private:
  base::Pages pages_;
  const std::byte* begins_ = nullptr;
  const std::byte* low_ranks_ = nullptr;
  std::uint64_t count_ = 0;
};

}  // namespace crivo
