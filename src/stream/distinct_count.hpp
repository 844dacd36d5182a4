// SPDX-License-Identifier: Apache-2.0
/// How many different hashes are among any number of them.
#pragma once

#include <cstddef>
#include <cstdint>
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

}  // namespace crivo::stream
