// SPDX-License-Identifier: Apache-2.0
#include "stream/sorted_hashes.hpp"

#include <bit>

#include "stream/partition_sort.hpp"

namespace crivo::stream {

unsigned KeysInMemory::value_bits() const noexcept {
  std::uint64_t any = 0;
  for (const std::uint64_t value : all().values) any |= value;
  return static_cast<unsigned>(std::bit_width(any));
}

SortedHashes SortedHashes::from_unsorted(std::span<const Hash128> hashes) {
  std::vector<Hash128> sorted(hashes.size());
  if (PartitionSort<Hash128>().sort({&hashes, 1}, 0, sorted)) {
    std::vector<Hash128> repeated;
    sorted.resize(drop_repeats(std::span(sorted), repeated));
  }
  return SortedHashes(std::move(sorted));
}

}  // namespace crivo::stream
