/// Sorts the hashes, or hashes with values, of one partition.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "keys/hashed_value.hpp"

namespace crivo::keys {

/// Sorts partitions one after another, in memory that it keeps. One thread at a time.
template <typename Element>
class PartitionSort {
 public:
  /// For elements whose hashes agree in their first `prefix_bits` bits.
  explicit PartitionSort(unsigned prefix_bits) : prefix_bits_(prefix_bits) {}

  /// Fills `sorted`, which is apart from `elements` and as large, with them in ascending order.
  /// O(n) for hashes whose `hi` is uniform after the prefix, O(n log n) for any.
  void sort(std::span<const Element> elements, std::span<Element> sorted);

 private:
  unsigned prefix_bits_;
  std::vector<std::uint64_t> bucket_ends_;
};

/// Drops all but the first of equal hashes in `sorted` and notes each repeated hash once in
/// `repeated`; returns how many elements are left.
template <typename Element>
std::uint64_t drop_repeats(std::span<Element> sorted, std::vector<Hash128>& repeated);

}  // namespace crivo::keys
