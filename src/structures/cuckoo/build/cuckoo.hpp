// SPDX-License-Identifier: Apache-2.0
/// How a cuckoo filter is built and changed (structures/cuckoo/cuckoo.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "crivo/build/options.hpp"
#include "structures/build/filter.hpp"
#include "structures/cuckoo/shape.hpp"

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

/// Slots in use, in hundredths. In the fullest of several segments, by chance, some 98.
inline constexpr std::uint64_t kLoadPercent = 96;

/// The smallest shape for n keys, and the options' capacity, under the options: of those numbers
/// alone, and in integers, so that every system finds the same. Throws Error(usage).
Shape choose_shape(std::uint64_t n, const FilterOptions& options);

/// The expected false-positive rate of n keys.
double expected_fpr(const Shape& shape, std::uint64_t n) noexcept;

/// The most keys with which expected_fpr() is at most `fpr`, a part of 1 (0: any), and the load
/// kLoadPercent.
std::uint64_t capacity_of(const Shape& shape, std::uint64_t fpr) noexcept;

}  // namespace crivo::filter::cuckoo

namespace crivo::filter {

/// Type::forecast, Type::plan, Type::open and Type::edit of the cuckoo filter.
Forecast forecast_cuckoo(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Assembly> plan_cuckoo(std::uint64_t n, const FilterOptions& options);
std::unique_ptr<Editor> edit_cuckoo(base::ByteView section);

/// A cuckoo filter in memory that is asked for each hash before it is added.
class SeenLayer : public Editor {
 public:
  /// held[i] becomes true where the filter may hold hashes[i].
  virtual void contains(std::span<const Hash128> hashes, bool* held) const = 0;
  /// Does the same hash after hash, and adds each hash that is not held then, by this filter or, as
  /// held[i] was before, by another. Stops before one for which there is no room; returns how many
  /// hashes it went through. With capacity() keys it is full.
  virtual std::size_t add_new(std::span<const Hash128> hashes, bool* held) = 0;
};
/// Copies a section that open_cuckoo() accepts.
std::unique_ptr<SeenLayer> open_seen_layer(base::ByteView section);
/// One without keys. Throws Error(usage) as a build with such options.
std::unique_ptr<SeenLayer> new_seen_layer(std::uint64_t capacity, double fpr);
/// The memory that such a one takes.
std::uint64_t seen_layer_bytes(std::uint64_t capacity, double fpr);

}  // namespace crivo::filter
