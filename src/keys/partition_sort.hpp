/// Sorts the hashes of one partition.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "crivo/hash.hpp"

namespace crivo::keys {

/// Sorts partitions one after another, in memory that it keeps. One thread at a time.
class PartitionSort {
 public:
  /// For hashes that agree in their first `prefix_bits` bits.
  explicit PartitionSort(unsigned prefix_bits) : prefix_bits_(prefix_bits) {}

  /// Fills `sorted`, which is apart from `hashes` and as large, with them in ascending order. O(n)
  /// for hashes whose `hi` is uniform after the prefix, O(n log n) for any.
  void sort(std::span<const Hash128> hashes, std::span<Hash128> sorted);

 private:
  unsigned prefix_bits_;
  std::vector<std::uint64_t> bucket_ends_;
};

/// Drops the repeats in `sorted` and notes each repeated hash once in `repeated`; returns how many
/// are left.
std::uint64_t drop_repeats(std::span<Hash128> sorted, std::vector<Hash128>& repeated);

}  // namespace crivo::keys
