// SPDX-License-Identifier: Apache-2.0
#include "structures/csf/prefix_code.hpp"

#include <algorithm>

namespace crivo::csf {
namespace {

/// The weights from which the code is made. An optimal tree of depth d has at least F(d + 2) times
/// its least weight in all (F: Fibonacci). That is at most 2^20 + 2 kMaxCodewords times here, which
/// is below F(31), so no codeword is longer than 28 bits.
std::vector<std::uint64_t> raised(std::span<const std::uint64_t> weights) {
  std::uint64_t sum = 0;
  for (const std::uint64_t weight : weights) sum += weight;
  const std::uint64_t least = std::max<std::uint64_t>(1, base::div_ceil(sum, 1U << 20));
  std::vector<std::uint64_t> result(weights.begin(), weights.end());
  for (std::uint64_t& weight : result) weight = std::max(weight, least);
  return result;
}

/// The parents of the nodes of an optimal tree: leaves 0 to n - 1 in the order of `weights`, which
/// descend, then inner nodes as they are made, the last of which is the root (van Leeuwen's two
/// queues).
std::vector<std::uint32_t> parents_of(std::span<const std::uint64_t> weights) {
  const std::size_t leaves = weights.size();
  std::vector<std::uint64_t> inner;
  inner.reserve(leaves);
  std::vector<std::uint32_t> parents(2 * leaves - 1);
  std::size_t leaf = leaves;
  std::size_t next_inner = 0;
  const auto take_least = [&](std::size_t parent) {
    if (next_inner == inner.size() || (leaf > 0 && weights[leaf - 1] <= inner[next_inner])) {
      --leaf;
      parents[leaf] = static_cast<std::uint32_t>(parent);
      return weights[leaf];
    }
    parents[leaves + next_inner] = static_cast<std::uint32_t>(parent);
    return inner[next_inner++];
  };
  for (std::size_t node = leaves; node < parents.size(); ++node) {
    const std::uint64_t one = take_least(node);
    inner.push_back(one + take_least(node));
  }
  return parents;
}

/// The number of 32 bits, the first highest, for bits of which the first is lowest; and the
/// reverse.
std::uint32_t turned(std::uint64_t bits) noexcept {
  return static_cast<std::uint32_t>(reversed(bits) >> 32);
}

}  // namespace

LengthCounts optimal_code(std::span<const std::uint64_t> weights) {
  const std::vector<std::uint32_t> parents = parents_of(raised(weights));
  std::vector<std::uint8_t> depths(parents.size());
  LengthCounts counts{};
  for (std::size_t node = parents.size(); node-- > 0;) {
    if (node + 1 < parents.size()) {
      depths[node] = static_cast<std::uint8_t>(depths[parents[node]] + 1);
    }
    if (node < weights.size()) ++counts[depths[node]];
  }
  return counts;
}

std::uint64_t optimal_code_cost(std::span<const std::uint64_t> weights) {
  const LengthCounts counts = optimal_code(weights);
  std::uint64_t cost = 0;
  std::size_t at = 0;
  for (unsigned length = 0; length <= kMaxCodeBits; ++length) {
    for (const std::size_t end = at + counts[length]; at < end; ++at) cost += weights[at] * length;
  }
  return cost;
}

std::vector<Codeword> codewords(const LengthCounts& counts) {
  std::vector<Codeword> words;
  std::uint64_t next = 0;  // as a number of 32 bits, the first bit highest
  for (unsigned length = 0; length <= kMaxCodeBits; ++length) {
    for (std::uint32_t i = 0; i < counts[length]; ++i, next += std::uint64_t{1} << (32 - length)) {
      words.push_back({turned(next), static_cast<std::uint8_t>(length)});
    }
  }
  return words;
}

bool is_complete(const LengthCounts& counts) noexcept {
  std::uint64_t covered = 0;  // of the 2^32 sequences of 32 bits
  for (unsigned length = 0; length <= kMaxCodeBits; ++length) {
    if (counts[length] > kMaxCodewords) return false;
    covered += std::uint64_t{counts[length]} << (32 - length);
  }
  return covered == std::uint64_t{1} << 32;
}

Decoder::Decoder(const LengthCounts& counts, unsigned code_bits)
    : quick_bits_(std::min(code_bits, kQuickBits)) {
  quick_.assign(std::size_t{1} << quick_bits_, kLonger);
  std::uint64_t end = 0;
  std::uint32_t index = 0;
  for (unsigned length = 1; length <= code_bits; ++length) {
    offsets_[length] = index - static_cast<std::uint32_t>(end >> (32 - length));
    for (std::uint32_t i = 0; length <= quick_bits_ && i < counts[length]; ++i) {
      const std::uint64_t number = end + (std::uint64_t{i} << (32 - length));
      const std::uint32_t bits = turned(number);
      for (std::size_t at = bits; at < quick_.size(); at += std::size_t{1} << length) {
        quick_[at] = index + i;
      }
    }
    end += std::uint64_t{counts[length]} << (32 - length);
    index += counts[length];
    ends_[length] = end;
  }
}

std::uint32_t Decoder::index(std::uint32_t bits) const noexcept {
  const std::uint32_t quick = quick_[bits & (quick_.size() - 1)];
  if (quick != kLonger) return quick;
  const std::uint32_t number = turned(bits);
  unsigned length = quick_bits_ + 1;
  while (number >= ends_[length]) ++length;  // the last end is 2^32
  return offsets_[length] + (number >> (32 - length));
}

}  // namespace crivo::csf
