// SPDX-License-Identifier: Apache-2.0
/// The way of a key down its bucket's splitting tree.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/cpu.hpp"
#include "structures/consensus/shape.hpp"

namespace crivo::consensus {

/// The trees of a section, and what they share. Whatever their bits are, a walk ends at a pair
/// below k / 2; it reads up to seven bytes after its tree.
class Trees {
 public:
  Trees() = default;
  /// `bytes` hold all trees, and the seven bytes after each.
  Trees(const Shape& shape, base::ByteView bytes);

  /// The bytes of a tree.
  std::uint32_t bytes() const noexcept { return bytes_; }
  void prefetch(const std::byte* tree) const noexcept {
    for (std::uint32_t at = 0; at < bytes_; at += 64) __builtin_prefetch(tree + at);
    __builtin_prefetch(tree + bytes_ - 1);
  }

  /// The pair, from 0 to k / 2 - 1, to which a tree sends a key.
  std::uint32_t pair(const std::byte* tree, std::uint64_t material) const noexcept;

  /// pairs[i] = pair(trees[i], materials[i]) for `count` keys, by the processor's kernel.
  void pairs(const std::byte* const* trees, const std::uint64_t* materials, std::size_t count,
             std::uint32_t* pairs) const noexcept {
    for (std::size_t i = 0; i + kGroup <= count; i += kGroup) {
      pairs_of_group_(*this, trees + i, materials + i, pairs + i);
    }
    for (std::size_t i = count / kGroup * kGroup; i < count; ++i) {
      pairs[i] = pair(trees[i], materials[i]);
    }
  }

  static constexpr std::size_t kGroup = 16;

 private:
  using PairsOfGroup = void (*)(const Trees& shared, const std::byte* const* trees,
                                const std::uint64_t* materials, std::uint32_t* pairs);

  static void portable_group(const Trees& shared, const std::byte* const* trees,
                             const std::uint64_t* materials, std::uint32_t* pairs) noexcept;
  static void avx2_group(const Trees& shared, const std::byte* const* trees,
                         const std::uint64_t* materials, std::uint32_t* pairs) noexcept;

  /// The state whose window begins at bit `place` of a tree.
  static std::uint32_t state_at(const std::byte* tree, std::uint32_t place) noexcept {
    return static_cast<std::uint32_t>(window_at(tree, place)) * 2 + 1;
  }
  /// 57 bits at least.
  static std::uint64_t window_at(const std::byte* tree, std::uint32_t place) noexcept {
    return base::load_le<std::uint64_t>(tree + place / 8) >> (place % 8);
  }
  std::uint32_t root_side(const std::byte* tree, std::uint64_t material) const noexcept {
    const std::uint32_t state = state_at(tree, windows_[1]) & first_state_;
    return side(state, key_bits(material, 0));
  }

  unsigned levels_ = 0;
  std::array<LevelPlace, kMaxLevels> places_{};  ///< for the kernel, which computes windows
  /// Where the window of each node begins, from the root on, which is 1; the children of node i are
  /// 2 i and 2 i + 1.
  std::vector<std::uint16_t> windows_;
  std::uint32_t first_state_ = 0;  ///< the bits that the state of the root may have
  std::uint32_t bytes_ = 0;
  const std::byte* begin_ = nullptr;  ///< of the bytes that hold the trees
  PairsOfGroup pairs_of_group_ = nullptr;
};

inline std::uint32_t Trees::pair(const std::byte* at, std::uint64_t material) const noexcept {
  const std::uint16_t* const windows = windows_.data();
  std::uint32_t node = 2 + root_side(at, material);
  material = std::rotr(material, 16);
  unsigned level = 1;
  if (levels_ % 2 == 0) {
    node = 2 * node + side(state_at(at, windows[node]), key_bits(material, 0));
    material = std::rotr(material, 16);
    level = 2;
  }
  // Two levels at a time. Both children are asked before it is known which of them has the key:
  // that takes more instructions than to ask one, and less time, because the three answers do not
  // wait for one another.
  for (; level < levels_; level += 2) {
    const std::uint32_t left = windows[2 * node];
    const std::uint32_t right = windows[2 * node + 1];
    const std::uint64_t below = std::rotr(material, 16);
    const std::uint64_t both = window_at(at, right);  // the left one is at most 15 bits further
    const std::uint64_t left_window = both >> ((left - right) % 64);
    const std::uint16_t bits = key_bits(below, 0);
    const std::uint32_t if_left = side(static_cast<std::uint32_t>(2 * left_window + 1), bits);
    const std::uint32_t if_right = side(static_cast<std::uint32_t>(2 * both + 1), bits) + 2;
    const std::uint32_t goes_right = side(state_at(at, windows[node]), key_bits(material, 0));
    // Not a branch, which would be mispredicted every other time.
    node = 4 * node + (if_left ^ ((if_left ^ if_right) & (0 - goes_right)));
    material = std::rotr(below, 16);
  }
  return node - (1U << levels_);
}

}  // namespace crivo::consensus
