// SPDX-License-Identifier: Apache-2.0
/// The sizes of a range section, as its header gives them (formats/range.md).
///
///     section   header 64 | bodies of 2^g partitions, each at a multiple of 8 | where each begins
///     body      keys before each group, u32 | the groups' bits
///     group     for each of its buckets a one a key and a zero | the keys' low bits
#pragma once

#include <cstdint>
#include <memory>

#include "base/arithmetic.hpp"
#include "hashing/hash128.hpp"
#include "hashing/range_hash.hpp"
#include "structures/filter.hpp"

// The filter type `range`, which tells of any range of numbers whether there may be a key in it
// (formats/range.md). After Grafite (Costa, Ferragina and Vinciguerra, SIGMOD 2024): whatever the
// keys and the ranges are, the rate is at most n L / r for ranges of L numbers, where r is the
// number of codes that keys are hashed to, for log2(r / n) + 2 bits a key and an eighth or so.

namespace crivo::filter {

std::unique_ptr<const Membership> open_range(base::ByteView section);

}  // namespace crivo::filter

namespace crivo::filter::range {

inline constexpr std::uint64_t kHeaderBytes = 64;
/// Buckets, whose keys have the same code but for its low bits, that a group has.
inline constexpr std::uint64_t kGroupBuckets = 256;
inline constexpr unsigned kMaxPartitionBits = 40;
inline constexpr unsigned kMaxLowBits = 56;
inline constexpr unsigned kMaxCodeBits = 62;
/// The longest range that a filter can be made for.
inline constexpr std::uint64_t kMaxLongest = std::uint64_t{1} << 24;

/// The facts that the header has. A key's partition is that of the first g bits of its `hi`. There
/// its run of numbers begins at one of `starts` codes, by the bits that follow, and its code is so
/// much above that as the number is in the run. So the numbers of a run never share a code, and
/// those of different ones do with a probability of about 1 / (starts 2^g).
struct Shape {
  std::uint64_t n = 0;
  std::uint64_t starts = 1;   ///< from 1 to 2^kMaxCodeBits
  std::uint64_t longest = 1;  ///< the range whose rate fpr() is, from 1 to kMaxLongest
  unsigned partition_bits = 0;
  unsigned low_bits = 0;

  std::uint64_t partition_of(Hash128 hash) const noexcept {
    return base::top_bits(hash.hi, partition_bits);
  }
  std::uint64_t start_of(Hash128 hash) const noexcept {
    return base::mulhi(hash.hi << partition_bits, starts);
  }
  std::uint64_t code_of(Hash128 hash) const noexcept {
    return start_of(hash) + hash.lo % hashing::kRunNumbers;
  }
  std::uint64_t groups() const noexcept {
    return ((starts + hashing::kRunNumbers - 2) >> low_bits) / kGroupBuckets + 1;
  }
  /// The bytes of the counts before the bits of a body.
  std::uint64_t count_bytes() const noexcept { return base::align_up(4 * (groups() + 1), 8); }
  /// The bits of a body with so many keys.
  std::uint64_t body_bits(std::uint64_t keys) const noexcept {
    return groups() * kGroupBuckets + keys * (1 + low_bits);
  }
  std::uint64_t body_bytes(std::uint64_t keys) const noexcept {
    return count_bytes() + base::div_ceil(body_bits(keys), 64) * 8;
  }
  /// The rate of a range of `longest` numbers: a key is in each code with a probability of at most
  /// 1 / r and 2^-64 together, where r is the number of all starts.
  double fpr() const noexcept;
};

}  // namespace crivo::filter::range
