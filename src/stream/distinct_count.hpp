// SPDX-License-Identifier: Apache-2.0
/// How many different hashes are among any number of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "hashing/hash128.hpp"

namespace crivo::stream {

/// Counts up to `most`, in memory for three times as many (or some 2^16) and O(log(most)) time a
/// hash.
class DistinctCount {
 public:
  explicit DistinctCount(std::uint64_t most);

  void add(const Hash128& hash) {
    added_.push_back(hash);
    if (added_.size() == together_) merge();
  }
  /// How many differ; where these are more than `most`, some number above it.
  std::uint64_t finish();
  /// Whether they are more than `most`, as far as is known: nothing more need be added.
  bool is_over() const noexcept { return distinct_.size() > most_; }

 private:
  void merge();

  std::uint64_t most_;
  std::size_t together_;
  std::vector<Hash128> distinct_;  ///< ascending
  std::vector<Hash128> added_;
};

inline DistinctCount::DistinctCount(std::uint64_t most)
    : most_(most), together_(std::max<std::uint64_t>(most, std::uint64_t{1} << 14)) {}

inline std::uint64_t DistinctCount::finish() {
  merge();
  return distinct_.size();
}

inline void DistinctCount::merge() {
  std::ranges::sort(added_);
  const auto again = std::ranges::unique(added_);
  added_.erase(again.begin(), again.end());
  std::vector<Hash128> all;
  all.reserve(distinct_.size() + added_.size());
  std::ranges::set_union(distinct_, added_, std::back_inserter(all));
  distinct_ = std::move(all);
  added_.clear();
}

}  // namespace crivo::stream
