// SPDX-License-Identifier: Apache-2.0
/// The hash of AES rounds by a processor's own instructions. Who includes it has defined
/// CRIVO_TARGET, the attribute that lets functions use these.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "hashing/aes_hash.hpp"
#include "hashing/aes_tree.hpp"

namespace crivo::hashing {

/// `Registers` has a Block of a register, a Pair of two of them side by side, and their operations.
template <typename Registers>
class AesLanes final : public PreparedHash {
 public:
  explicit AesLanes(Seed seed) noexcept : keys_(seed, &encrypt_numbers) {}

  CRIVO_TARGET Hash128 operator()(std::string_view text) const noexcept override {
    const std::size_t size = text.size();
    Block sum = size <= kLeafBytes ? leaf(text.data(), size) : long_sum(text);
    sum = Registers::mixed(sum, Registers::of_halves(size, 0));
    return Registers::halves(encrypted(sum, keys_.finish));
  }

 private:
  using Block = typename Registers::Block;
  using Pair = typename Registers::Pair;

  [[gnu::always_inline]] CRIVO_TARGET static Block encrypted(
      Block block, const AesKeys::RoundKeys& keys) noexcept {
    block = Registers::mixed(block, Registers::load(keys[0].data()));
    for (std::size_t r = 1; r < AesKeys::kFinishRounds; ++r) {
      block = Registers::round(block, Registers::load(keys[r].data()));
    }
    return Registers::last_round(block, Registers::load(keys[AesKeys::kFinishRounds].data()));
  }
  CRIVO_TARGET static void encrypt_numbers(const AesKeys::RoundKeys& keys, std::uint64_t first,
                                           AesKeys::Block* blocks, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      Registers::store(encrypted(Registers::of_halves(first + i, 0), keys), blocks[i].data());
    }
  }

  [[gnu::always_inline]] CRIVO_TARGET Block lane(Block block, std::size_t level,
                                                 std::size_t i) const noexcept {
    const AesKeys::Level& keys = keys_.levels[level];
    block = Registers::mixed(block, Registers::load(keys[0][i].data()));
    for (std::size_t r = 1; r < AesKeys::kRounds; ++r) {
      block = Registers::round(block, Registers::load(keys[r][i].data()));
    }
    return Registers::round(block, Registers::of_halves(0, 0));
  }
  [[gnu::always_inline]] CRIVO_TARGET Pair leaf_pair(Pair pair, std::size_t i) const noexcept {
    const AesKeys::Level& keys = keys_.levels[0];
    pair = Registers::mixed(pair, Registers::load_pair(keys[0][i].data()));
    for (std::size_t r = 1; r < AesKeys::kRounds; ++r) {
      pair = Registers::round(pair, Registers::load_pair(keys[r][i].data()));
    }
    return Registers::round(pair, Registers::no_pair());
  }

  /// Of so many lanes or less, but more than half as many: those that there are not are computed
  /// as well, and not added, as no processor foresees the lengths of keys.
  template <std::size_t kLanes>
  [[gnu::always_inline]] CRIVO_TARGET Block leaf_of(const char* text,
                                                    std::size_t size) const noexcept {
    const std::size_t last = size - AesKeys::kBlockBytes;
    const std::size_t blocks = (size + AesKeys::kBlockBytes - 1) / AesKeys::kBlockBytes;
    Pair sum = Registers::no_pair();
    for (std::size_t i = 0; i < kLanes; i += 2) {
      const Pair pair = Registers::load_pair(text + std::min(AesKeys::kBlockBytes * i, last),
                                             text + std::min(AesKeys::kBlockBytes * (i + 1), last));
      const Pair mixed = leaf_pair(pair, i);
      sum = Registers::mixed(sum, i < kLanes / 2 ? mixed : Registers::only(mixed, i, blocks));
    }
    return Registers::both(sum);
  }

  [[gnu::always_inline]] CRIVO_TARGET Block leaf(const char* text,
                                                 std::size_t size) const noexcept {
    if (size <= AesKeys::kBlockBytes) {
      if (size == 0) return Registers::of_halves(0, 0);
      const ShortBlock block = short_block(text, size);
      return lane(Registers::of_halves(block.low, block.high), 0, 0);
    }
    if (size <= 2 * AesKeys::kBlockBytes) return leaf_of<2>(text, size);
    return size <= 4 * AesKeys::kBlockBytes ? leaf_of<4>(text, size) : leaf_of<8>(text, size);
  }

  [[gnu::noinline]] CRIVO_TARGET Block long_sum(std::string_view text) const noexcept {
    text = text.substr(0, kTreeBytes);
    return node(text, tree_height(text.size()));
  }

  CRIVO_TARGET Block node(std::string_view text, std::size_t level) const noexcept {
    if (level == 0) return leaf(text.data(), text.size());
    const std::size_t child_bytes = kLeafBytes << 3 * (level - 1);
    Block sum = Registers::of_halves(0, 0);
    for (std::size_t i = 0; !text.empty(); ++i) {
      const std::string_view child = text.substr(0, child_bytes);
      sum = Registers::mixed(sum, lane(node(child, level - 1), level, i));
      text.remove_prefix(child.size());
    }
    return sum;
  }

  AesKeys keys_;
};

}  // namespace crivo::hashing
