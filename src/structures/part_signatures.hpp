// SPDX-License-Identifier: Apache-2.0
/// The signatures of an MPHF whose parts are served unmerged (formats/manifest.md).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/bytes.hpp"
#include "base/page_checks.hpp"
#include "hashing/hash128.hpp"
#include "structures/bumped_ranks.hpp"
#include "structures/rank_runs.hpp"

namespace crivo::mphf {

/// The signatures of the ranks from `first` on, as one part has them.
struct SignatureRun {
  std::uint64_t first = 0;
  base::ByteView bytes;
};

/// A bumped key (structures/mphf.hpp).
struct RankedKey {
  std::uint64_t rank = 0;
  std::uint64_t lo = 0;  ///< of its hash
};

/// The runs of all parts and the signatures of bumped keys together: by rank, what a merged file's
/// array has. Bumped keys' ranks have 0 in the runs, so that hardly a lookup but theirs looks for
/// them. Over mapped bytes; bounded on any.
class PartSignatures {
 public:
  /// Opens those of a function over `keys` keys. Throws Error(corrupt) unless the runs follow one
  /// another from rank 0 on, and `bumped` is as write_bumped() makes it.
  PartSignatures(const std::vector<SignatureRun>& runs, const base::CheckedBytes& bumped,
                 std::uint64_t keys);

  unsigned bits() const noexcept { return bits_; }
  /// The signature of a rank below the number of keys. O(1) where runs are about equally long, else
  /// O(log runs); for a bumped key's rank besides O(log bumped keys of a block).
  std::uint32_t at(std::uint64_t rank) const noexcept;
  void prefetch(std::uint64_t rank) const noexcept { __builtin_prefetch(in_run(rank)); }
  bool match(std::uint64_t rank, Hash128 hash) const noexcept {
    return at(rank) == hash.lo >> (64 - bits_);
  }

 private:
  /// Where the signature of a rank is in the run that has it; null if none has.
  const std::byte* in_run(std::uint64_t rank) const noexcept {
    const auto* const run = runs_.find(rank);
    return run == nullptr ? nullptr : run->held + ((rank - run->first) << log_bytes_);
  }
  std::uint32_t of_bumped(std::uint64_t rank) const noexcept;
  std::uint32_t load(const std::byte* signature) const noexcept;

  base::Pages pages_;
  RankRuns<const std::byte*> runs_;
  unsigned bits_;
  unsigned log_bytes_;  ///< of a signature
  BumpedRanks bumped_;
  const std::byte* signatures_;  ///< of each bumped key
};

}  // namespace crivo::mphf
