// SPDX-License-Identifier: Apache-2.0
#include "structures/consensus/walk.hpp"

namespace crivo::consensus {

Trees::Trees(const Shape& shape, base::ByteView bytes)
    : levels_(shape.levels()),
      places_(level_places(shape)),
      windows_(std::size_t{1} << levels_),
      first_state_((2U << shape.areas[0]) - 1),
      bytes_(shape.tree_bits() / 8),
      begin_(bytes.data()),
      pairs_of_group_(&portable_group) {
  for (unsigned level = 0; level < levels_; ++level) {
    for (std::uint32_t node = 0; node >> level == 0; ++node)
      windows_[(1U << level) + node] =
          static_cast<std::uint16_t>(places_[level].window(level, node));
  }
#if defined(__x86_64__)
  // The kernel's offsets have 31 bits.
  if (base::cpu() >= base::Cpu::avx2 && bytes.size() <= INT32_MAX) pairs_of_group_ = &avx2_group;
#endif
}

/// Level by level, so that no walk waits for its own last step.
void Trees::portable_group(const Trees& shared, const std::byte* const* trees,
                           const std::uint64_t* materials, std::uint32_t* pairs) noexcept {
  for (std::size_t i = 0; i < kGroup; ++i) pairs[i] = shared.root_side(trees[i], materials[i]);
  for (unsigned level = 1; level < shared.levels_; ++level) {
    const std::uint16_t* const windows = shared.windows_.data() + (std::size_t{1} << level);
    const unsigned shift = level % 4 * 16;
    for (std::size_t i = 0; i < kGroup; ++i) {
      const std::uint32_t state = state_at(trees[i], windows[pairs[i]]);
      pairs[i] = 2 * pairs[i] + side(state, static_cast<std::uint16_t>(materials[i] >> shift));
    }
  }
}

}  // namespace crivo::consensus
