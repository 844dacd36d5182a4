// SPDX-License-Identifier: Apache-2.0
/// Buckets that are linked lists.
#pragma once

#include <cstdint>
#include <vector>

namespace crivo::experiments {

/// Elements 0, 1, ... in an array of buckets, of which each is a linked list: the scheme of
/// collision resolution that the thesis names in its section 2.1.2. Links have 4 bytes.
class Chains {
 public:
  explicit Chains(std::uint32_t buckets) : heads_(buckets, kEnd) {}

  /// Room for so many elements, so that they take no more memory than they need.
  void reserve(std::uint64_t elements) { next_.reserve(elements); }

  /// Puts the next element at the front of a bucket. O(1).
  void push(std::uint32_t bucket) {
    next_.push_back(heads_[bucket]);
    heads_[bucket] = static_cast<std::uint32_t>(next_.size() - 1);
  }

  /// Calls visit(element) for those of a bucket, the newest first, until it returns true.
  template <typename Visit>
  void visit(std::uint32_t bucket, Visit&& visit) const {
    for (std::uint32_t at = heads_[bucket]; at != kEnd && !visit(at); at = next_[at]) {
    }
  }

  std::uint32_t buckets() const noexcept { return static_cast<std::uint32_t>(heads_.size()); }
  std::uint64_t bytes() const noexcept {
    return (heads_.size() + next_.size()) * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::uint32_t kEnd = UINT32_MAX;

  std::vector<std::uint32_t> heads_;  ///< by bucket
  std::vector<std::uint32_t> next_;   ///< by element
};

}  // namespace crivo::experiments
