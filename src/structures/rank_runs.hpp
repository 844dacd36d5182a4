// SPDX-License-Identifier: Apache-2.0
/// Which of the parts of an index has a rank, where they are served unmerged, and the pages of
/// their sections, which lie in several files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/arithmetic.hpp"

namespace crivo {

/// Runs of consecutive ranks, one after the other from rank 0 on, and what each holds, a `Held`.
template <typename Held>
class RankRuns {
 public:
  struct Run {
    std::uint64_t first = 0;  ///< rank
    std::uint64_t size = 0;
    Held held{};
  };

  RankRuns() = default;
  /// The runs of an index of so many keys, of which some may be in no run.
  RankRuns(std::vector<Run> runs, std::uint64_t keys) : runs_(std::move(runs)) {
    using Wide = unsigned __int128;
    runs_by_rank_ = static_cast<std::uint64_t>(
        std::min(Wide{UINT64_MAX}, (Wide{runs_.size()} << 64) / std::max<std::uint64_t>(keys, 1)));
  }

  const std::vector<Run>& runs() const noexcept { return runs_; }

  /// The run that has the rank; null if none has. O(1) where they are about equally long, else
  /// O(log runs).
  const Run* find(std::uint64_t rank) const noexcept {
    // Shards have about as many ranks each, so that the run that would have this one if they had
    // equally many nearly always does: no search, whose steps nobody could predict.
    const std::uint64_t guess = base::mulhi(rank, runs_by_rank_);
    if (const Run* const run = at(guess, rank); run != nullptr) [[likely]]
      return run;
    const auto after = std::ranges::upper_bound(runs_, rank, {}, &Run::first);
    return at(static_cast<std::uint64_t>(after - runs_.begin()) - 1, rank);
  }

 private:
  const Run* at(std::uint64_t index, std::uint64_t rank) const noexcept {
    if (index >= runs_.size()) return nullptr;
    const Run& run = runs_[index];
    return rank - run.first < run.size ? &run : nullptr;
  }

  std::vector<Run> runs_;
  std::uint64_t runs_by_rank_ = 0;  ///< their number by that of keys, times 2^64
};

/// The pages of sections that are mapped out of several files: a body's place in its file and in
/// the section must be the same, modulo this.
inline constexpr std::uint64_t kPageBytes = 4096;

}  // namespace crivo
