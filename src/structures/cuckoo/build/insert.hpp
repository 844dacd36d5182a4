// SPDX-License-Identifier: Apache-2.0
/// Putting fingerprints into a cuckoo filter's buckets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "structures/cuckoo/bucket.hpp"

namespace crivo::filter::cuckoo {

/// So many fingerprints at most are moved for one to be put in. At a load of 0.972, 1,300 were the
/// most seen.
inline constexpr unsigned kMaxMoves = 10'000;

/// A generator of pseudo-random choices (a linear congruential one, whose top bits are good).
class Choices {
 public:
  explicit Choices(std::uint64_t seed) noexcept : state_(seed) {}
  /// The next two bits.
  unsigned next() noexcept {
    state_ = state_ * 0x5851f42d4c957f2dU + 0x14057b7ef767814fU;
    return static_cast<unsigned>(state_ >> 62);
  }

 private:
  std::uint64_t state_;
};

/// Puts a fingerprint into a free slot of a bucket; false if there is none.
inline bool put(Bucket& bucket, std::uint32_t fingerprint) noexcept {
  const auto free = std::ranges::find(bucket, 0U);
  if (free == bucket.end()) return false;
  *free = fingerprint;
  return true;
}

/// A fingerprint and one of its two buckets in a segment.
struct Homeless {
  std::uint64_t bucket;
  std::uint32_t fingerprint;
};

/// Puts a fingerprint into bucket `at` of a segment or into the other of its two, moving others to
/// theirs as far as need be. `get(index)` returns a Bucket of the segment and `set(index, bucket)`
/// replaces one. After kMaxMoves moves, returns the fingerprint that has no place then.
template <typename Get, typename Set>
std::optional<Homeless> insert(const Shape& shape, std::uint64_t at, std::uint32_t fingerprint,
                               Choices& choices, const Get& get, const Set& set) {
  for (unsigned move = 0; move <= kMaxMoves; ++move) {
    Bucket bucket = get(at);
    bool done = put(bucket, fingerprint);
    // The first two buckets are looked at before anything is moved.
    if (!done && move == 0) {
      at = shape.other(at, fingerprint);
      bucket = get(at);
      done = put(bucket, fingerprint);
    }
    if (!done) std::swap(bucket[choices.next()], fingerprint);
    set(at, bucket);
    if (done) return std::nullopt;
    at = shape.other(at, fingerprint);
  }
  return Homeless{at, fingerprint};
}

}  // namespace crivo::filter::cuckoo
