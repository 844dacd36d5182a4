// SPDX-License-Identifier: Apache-2.0
/// Brings the runs of one partition in ascending order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stream/hashed_value.hpp"

namespace crivo::stream {

/// Sorts partitions one after another, in memory that it keeps. One thread at a time.
template <typename Element>
class PartitionSort {
 public:
  /// Fills `sorted`, which has as many elements as the runs together and is apart from them, in
  /// ascending order; false if all their hashes differ. The elements' hashes agree in their first
  /// `prefix_bits` bits. O(n) for hashes whose `hi` is uniform after the prefix, O(n log n) for
  /// any. Memory: `sizeof(Element)` and some 3 bytes an element of at most 2^16; above,
  /// `sizeof(Element)` an element and what 2^16 take.
  [[nodiscard]] bool sort(std::span<const std::span<const Element>> runs, unsigned prefix_bits,
                          std::span<Element> sorted);

 private:
  bool sort_small(std::span<const std::span<const Element>> runs, unsigned prefix_bits,
                  std::span<Element> sorted);

  std::vector<std::uint32_t> high_begins_;
  std::vector<std::uint32_t> low_begins_;
  std::vector<Element> by_low_digit_;
  std::vector<std::uint64_t> part_ends_;
  std::vector<Element> parts_;
};

/// Drops all but the first of equal hashes in `sorted` and notes each repeated hash once in
/// `repeated`; returns how many elements are left.
template <typename Element>
std::uint64_t drop_repeats(std::span<Element> sorted, std::vector<Hash128>& repeated);

}  // namespace crivo::stream
