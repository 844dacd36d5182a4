// SPDX-License-Identifier: Apache-2.0
/// Where each bucket of a partition begins: buckets hold the same number of keys each, so the
/// hashes at which they begin are not quite evenly spaced.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/consensus/shape.hpp"

namespace crivo::consensus {

/// The spacing that the boundaries of all partitions share.
struct Spacing {
  unsigned log_keys = 0;        ///< a bucket has k = 2^log_keys keys
  unsigned partition_bits = 0;  ///< those of a hash that all hashes of its partition share

  unsigned step_bits() const noexcept { return 16 - log_keys; }
};

/// The buckets of a partition's hashes in order, of k each; what is left after N of them is bucket
/// N. A few *anchors* say how many hashes are below equally spaced ones. Between two of them a
/// hash's place among the others is estimated by a straight line, in steps of 2^-(16 - K) keys; a
/// *threshold* for each bucket says by how many steps the estimate for its first hash is off.
/// Estimates are off by less than half a bucket (in the mean by a tenth of that at most), so the
/// one threshold nearest to a hash's estimate tells its bucket. A hash with just the estimate at
/// which a bucket begins is looked up among the *exceptions*, first hashes whose predecessor has
/// their estimate too.
class Boundaries {
 public:
  static constexpr unsigned kAnchorBits = 3;
  /// The numbers of the partition's hashes below anchors 0 (there are none) to 2^kAnchorBits (all).
  using Anchors = std::array<std::uint32_t, (1U << kAnchorBits) + 1>;

  /// The sizes that a reader must know beside the bytes.
  struct Sizes {
    Anchors anchors{};
    std::uint16_t buckets = 0;  ///< N, of k keys each
    std::uint16_t exceptions = 0;
  };

  Boundaries() = default;

  /// Takes what `write` wrote.
  Boundaries(const Sizes& sizes, base::FieldReader& reader);

  /// Appends the boundaries of the first `buckets` buckets, one at least, of a partition's hashes;
  /// returns nothing if the hashes are spread too unevenly for estimates. About 16 bits a bucket.
  static std::optional<Sizes> write(std::span<const Hash128> hashes, const Spacing& spacing,
                                    std::uint16_t buckets, base::FieldWriter& out);

  std::uint64_t buckets() const noexcept { return sizes_.buckets; }

  /// The bucket of a hash of the partition, from 0 to N.
  std::uint64_t bucket(Hash128 hash, const Spacing& spacing) const noexcept {
    const std::uint64_t place = estimate(hash.hi, sizes_.anchors, spacing);
    // A bucket's keys are 2^16 steps.
    const std::uint64_t nearest = std::min((place + 0x8000) >> 16, buckets());
    const std::uint64_t begin = (nearest << 16) + threshold(nearest);
    if (place == begin && nearest != 0) [[unlikely]]
      return nearest - (precedes(hash.hi, hash.lo, spacing) ? 1 : 0);
    return nearest - (place < begin && nearest != 0 ? 1 : 0);
  }

  /// Returns the end of the bytes.
  const std::byte* end() const noexcept { return exceptions() + sizes_.exceptions * kHashBytes; }

 private:
  static constexpr std::uint64_t kHashBytes = 16;

  static std::uint64_t threshold_bytes(std::uint64_t buckets) noexcept {
    return base::align_up((buckets + 1) * 2, 8);
  }
  static std::uint64_t estimate(std::uint64_t hi, const Anchors& anchors,
                                const Spacing& spacing) noexcept {
    const std::uint64_t in_partition = hi << spacing.partition_bits;
    const std::uint64_t span = base::top_bits(in_partition, kAnchorBits);
    const std::uint64_t below = anchors[span];
    const std::uint64_t above = anchors[span + 1];
    return (below << spacing.step_bits()) +
           base::mulhi(in_partition << kAnchorBits, (above - below) << spacing.step_bits());
  }

  std::uint64_t threshold(std::uint64_t bucket) const noexcept {
    const auto stored = base::load_le<std::uint16_t>(thresholds_ + 2 * bucket);
    return static_cast<std::uint64_t>(static_cast<std::int16_t>(stored));
  }
  const std::byte* exceptions() const noexcept { return thresholds_ + threshold_bytes(buckets()); }
  /// Whether there is an exception of this hash's estimate that the hash is before. Its halves come
  /// in registers: a whole hash would be written to memory and read again for every look-up.
  bool precedes(std::uint64_t hi, std::uint64_t lo, const Spacing& spacing) const noexcept;

  Sizes sizes_;
  const std::byte* thresholds_ = nullptr;
};

}  // namespace crivo::consensus
