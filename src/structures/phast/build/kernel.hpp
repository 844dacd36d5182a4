// SPDX-License-Identifier: Apache-2.0
/// The inner loop of the build: which seed is best for one bucket.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "base/cpu.hpp"
#include "structures/phast/shape.hpp"

namespace crivo::phast {

/// A bucket of more keys than this is bumped without a search.
inline constexpr unsigned kMaxBucketKeys = 20;

/// spread() from the first value of the slice on, as the kernels have it: for the lowest 16 bits of
/// `hi` with the highest of them flipped, which an odd factor leaves at 2^15 more.
inline std::uint32_t spread_in_slice(std::uint16_t spreading, std::uint32_t seed,
                                     unsigned slice_bits) noexcept {
  const std::uint32_t odd = (seed >> (kShiftBits - 1)) | 1;
  return (spreading * odd & 0xffff) >> (16 - slice_bits);
}

/// One bucket and what surrounds it. A key with position p among the partition's values that its
/// family spreads by x is at p - origin + x here: small numbers, the first value of the bucket's
/// slice being `first`, 0 to 7.
struct Query {
  /// The taken values, from value 0 here on: Occupancy::at().
  const std::uint8_t* taken;
  /// Per key: its position, and what spread_in_slice() takes.
  const std::uint32_t* positions;
  const std::uint16_t* spreading;
  std::uint32_t origin;  ///< modulo 2^32
  unsigned slice_bits;
  /// A key with value v here costs score(v + bias), where `bias` is counted modulo 2^32. v + bias
  /// is from 1 to kMaxScored - 1.
  std::uint32_t bias;
};

/// 2048 * log2(v), linear between powers of two, so that a sum of scores stands for a product of
/// distances: the exponent and the top 11 bits of the mantissa of v as a float. 0 < v < kMaxScored.
inline constexpr std::uint32_t kMaxScored = 4096;
constexpr std::uint16_t score(std::uint32_t v) noexcept {
  const auto exponent = static_cast<std::uint32_t>(std::bit_width(v)) - 1;
  return static_cast<std::uint16_t>(2048 * exponent + (v << (11 - exponent)) - 2048);
}

/// No family has a shift at which every key of the bucket falls on a free position.
inline constexpr std::uint32_t kNoCandidate = 0xffffffff;
inline constexpr unsigned kFamilyBits = kMaxSeedBits - kShiftBits;

/// The families, in any order, each as (cost << kFamilyBits) | family, or as kNoCandidate if none
/// of its shifts fits. The cost is the sum of the scores at the family's least feasible shift,
/// which is shifts[family].
struct Candidates {
  alignas(32) std::array<std::uint32_t, 1U << kFamilyBits> keys;
  alignas(32) std::array<std::uint32_t, 1U << kFamilyBits> shifts;
};

/// Lists all families in `candidates` and returns the least key (the least cost, then the least
/// family), or kNoCandidate. Whether two keys of the bucket itself fall together is not
/// looked at. Family 0's shift 0 never fits, because it would be seed 0.
using Search = std::uint32_t (*)(const Query& query, Candidates& candidates);

/// The searches for buckets of 0 to kMaxBucketKeys keys (the first is null).
using Searches = std::array<Search, kMaxBucketKeys + 1>;

/// The searches for seeds of `seed_bits` (11 to 15) bits, by the kernel for `cpu`, which this
/// processor must have. Every kernel finds the same candidates.
const Searches& searches(unsigned seed_bits, base::Cpu cpu);

/// `Kernel::kSearch<families, keys>` is its Search for buckets of so many keys.
template <typename Kernel, unsigned kFamilies, unsigned... kSizes>
constexpr Searches searches_of(std::integer_sequence<unsigned, kSizes...>) {
  return {nullptr, Kernel::template kSearch<kFamilies, kSizes + 1>...};
}

/// For seeds of kLeastBits to 15 bits. Null if there are none for this seed width.
template <typename Kernel, unsigned kLeastBits = 11>
const Searches* searches_of_width(unsigned seed_bits) noexcept {
  using Sizes = std::make_integer_sequence<unsigned, kMaxBucketKeys>;
  static constexpr auto kTable = []<unsigned... kMore>(std::integer_sequence<unsigned, kMore...>) {
    return std::array{searches_of<Kernel, 1U << (kLeastBits + kMore - kShiftBits)>(Sizes{})...};
  }
  (std::make_integer_sequence<unsigned, 16 - kLeastBits>{});
  return seed_bits - kLeastBits < kTable.size() ? &kTable[seed_bits - kLeastBits] : nullptr;
}

/// The searches for processors with base::Cpu::avx2; null if there are none for this seed width.
/// Only where the target is x86-64.
const Searches* avx2_searches(unsigned seed_bits) noexcept;

/// The searches for processors with base::Cpu::avx512; null if there are none for this seed width,
/// as for 11 bits. Only where the target is x86-64.
const Searches* avx512_searches(unsigned seed_bits) noexcept;

}  // namespace crivo::phast
