/// Where each bucket begins: buckets hold the same number of keys each, so the hashes at which they
/// begin are not quite evenly spaced.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "consensus/shape.hpp"
#include "file/bytes.hpp"
#include "file/sink.hpp"
#include "util/hash128.hpp"

namespace crivo::consensus {

/// Of n hashes in order, buckets of k = 2^K each; what is left at the end, fewer than k, is bucket
/// n / k. A few *anchors* say how many hashes are below equally spaced ones. Between two of them a
/// hash's place among the others is estimated by a straight line, in steps of 2^-(16 - K) keys; a
/// *threshold* for each bucket says by how many steps the estimate for its first hash is off.
/// Estimates are off by less than half a bucket, so the one threshold nearest to a hash's estimate
/// tells its bucket. A hash with just the estimate at which a bucket begins is looked up among the
/// *exceptions*, first hashes whose predecessor has their estimate too.
class Boundaries {
 public:
  Boundaries() = default;

  /// Reads what `write` wrote for `keys` keys.
  Boundaries(file::FieldReader& reader, std::uint64_t keys, unsigned log_keys);

  /// Appends the boundaries of `hashes`, of 2^log_keys or more. False, and nothing is appended, if
  /// the hashes are spread too unevenly for estimates. About 20 / k + 4 / k bits a key.
  static bool write(std::span<const Hash128> hashes, unsigned log_keys, file::Sink& sink);

  /// The bucket of a hash, from 0 to n / k.
  std::uint64_t bucket(Hash128 hash) const noexcept {
    const std::uint64_t place = estimate(hash.hi);
    // A bucket's keys are 2^16 steps.
    const std::uint64_t nearest = std::min((place + 0x8000) >> 16, buckets_);
    const std::uint64_t begin = (nearest << 16) + threshold(nearest);
    if (place == begin && nearest != 0) [[unlikely]]
      return nearest - (precedes(hash) ? 1 : 0);
    return nearest - (place < begin && nearest != 0 ? 1 : 0);
  }

 private:
  static constexpr unsigned kAnchorFraction = 16;

  /// How many of evenly spread hashes are below anchor `index`; `step` is that of anchor 1, with a
  /// fraction of kAnchorFraction bits.
  static std::uint64_t evenly(std::uint64_t step, std::uint64_t index) noexcept {
    return (index * step) >> kAnchorFraction;
  }
  /// The place of `hi` among hashes of which `below` are under the anchor before it and `above`
  /// under the one after it.
  static std::uint64_t interpolate(std::uint64_t hi, unsigned anchor_bits, std::uint64_t below,
                                   std::uint64_t above, unsigned step_bits) noexcept {
    return (below << step_bits) + util::mulhi(hi << anchor_bits, (above - below) << step_bits);
  }

  /// How many hashes are said to be below an anchor.
  std::uint64_t anchor(std::uint64_t index) const noexcept {
    const auto stored = file::load_le<std::uint32_t>(anchors_ + 4 * index);
    return evenly(anchor_step_, index) +
           static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(stored)});
  }
  std::uint64_t estimate(std::uint64_t hi) const noexcept {
    const std::uint64_t span = util::top_bits(hi, anchor_bits_);
    return interpolate(hi, anchor_bits_, anchor(span), anchor(span + 1), step_bits_);
  }
  std::uint64_t threshold(std::uint64_t bucket) const noexcept {
    const auto stored = file::load_le<std::uint16_t>(thresholds_ + 2 * bucket);
    return static_cast<std::uint64_t>(static_cast<std::int16_t>(stored));
  }
  bool precedes(Hash128 hash) const noexcept;

  std::uint64_t buckets_ = 0;  ///< of k keys
  unsigned step_bits_ = 0;
  unsigned anchor_bits_ = 0;
  std::uint64_t anchor_step_ = 0;
  const std::byte* anchors_ = nullptr;
  const std::byte* thresholds_ = nullptr;
  const std::byte* exceptions_ = nullptr;
  std::uint64_t exception_count_ = 0;
};

}  // namespace crivo::consensus
