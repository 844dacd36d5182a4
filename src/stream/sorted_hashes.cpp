// SPDX-License-Identifier: Apache-2.0
#include "stream/sorted_hashes.hpp"

#include <algorithm>
#include <bit>

namespace crivo::stream {

unsigned KeysInMemory::value_bits() const noexcept {
  std::uint64_t any = 0;
  for (const std::uint64_t value : all().values) any |= value;
  return static_cast<unsigned>(std::bit_width(any));
}

SortedHashes SortedHashes::from_unsorted(std::vector<Hash128> hashes) {
  std::ranges::sort(hashes);
  const auto repeats = std::ranges::unique(hashes);
  hashes.erase(repeats.begin(), repeats.end());
  return SortedHashes(std::move(hashes));
}

}  // namespace crivo::stream
