// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/refuse_option.hpp"
#include "crivo/error.hpp"
#include "structures/bits/bit_fields.hpp"
#include "structures/bits/fixed_point.hpp"
#include "structures/build/filter.hpp"
#include "structures/cuckoo/build/cuckoo.hpp"

namespace crivo::filter::cuckoo {
namespace {

using bits::kLogBits;
using bits::Uint128;

constexpr std::uint64_t kMaxKeys = std::uint64_t{1} << 40;

/// Loads are in units of 2^-32.
constexpr unsigned kLoadShift = 32;

/// The highest load at which so many keys find room: less than kLoadPercent where there are few
/// fingerprints, as more than two buckets of keys with one fingerprint have nowhere to go. A pair
/// of buckets has a Poisson number of keys of a fingerprint.
std::uint64_t load_for(Fingerprints fingerprints, std::uint64_t keys) {
  constexpr unsigned kFailures = 100;  // one of so many sets is expected to have such keys
  const std::uint64_t largest = fingerprints.largest();
  std::uint64_t load = (kLoadPercent << kLoadShift) / 100;
  while (true) {
    const auto mean = static_cast<std::uint64_t>(
        (Uint128{2 * kSlots * load} << (kLogBits - kLoadShift)) / largest);
    // The chance of so many keys or more, beginning with nine.
    std::uint64_t chance =
        bits::power_of_half(static_cast<std::uint64_t>((Uint128{mean} << 64) / bits::kLn2));
    Uint128 nine_or_more = 0;
    for (unsigned k = 1; chance != 0; ++k) {
      chance = static_cast<std::uint64_t>((Uint128{chance} * mean >> kLogBits) / k);
      if (k >= 2 * kSlots + 1) nine_or_more += chance;
    }
    const Uint128 pairs = (Uint128{keys} << kLoadShift) / (2 * kSlots * load) * largest;
    if (pairs * nine_or_more <= (Uint128{1} << 64) / kFailures) return load;
    load = load * 97 / 100;
  }
}

std::uint64_t round_up(Uint128 value, Uint128 unit) {
  return static_cast<std::uint64_t>((value + unit - 1) / unit);
}

/// -ln(1 - fpr), in units of 2^-kLogBits: the keys' pairs for each bucket and fingerprint.
std::uint64_t pairs_for(std::uint64_t fpr) noexcept {
  return base::mulhi(bits::minus_log2(-fpr), bits::kLn2);
}

/// `fpr` is a part of 1, or 0 for any.
std::uint64_t buckets_for(Fingerprints fingerprints, std::uint64_t keys, std::uint64_t fpr) {
  std::uint64_t buckets =
      round_up(Uint128{keys} << kLoadShift, Uint128{kSlots} * load_for(fingerprints, keys));
  if (buckets > 1) ++buckets;  // few small sets need the stash then
  if (fpr != 0) {
    buckets = std::max(buckets, round_up(Uint128{2 * keys} << kLogBits,
                                         Uint128{pairs_for(fpr)} * fingerprints.largest()));
  }
  return std::max<std::uint64_t>(1, buckets);
}

/// A shape with at least `buckets` buckets, in as many segments as those take.
Shape make_shape(Fingerprints fingerprints, std::uint64_t buckets) {
  const auto bits = static_cast<unsigned>(std::bit_width(buckets)) - 1;
  if (bits <= kSegmentBucketBits) return {fingerprints, 0, buckets};
  const unsigned segment_bits = bits - kSegmentBucketBits;
  const std::uint64_t segment_buckets = base::div_ceil(buckets, std::uint64_t{1} << segment_bits);
  return {fingerprints, segment_bits, base::align_up(segment_buckets, 8)};
}

Fingerprints of_bits(double asked, bool semi_sorted) {
  const double least = semi_sorted ? 4 : 2;
  if (!(asked >= least && asked <= 32) || asked != std::floor(asked)) {
    base::refuse_option("bits", asked,
                        semi_sorted
                            ? "is not a whole number from 4 to 32, which semi-sorted cuckoo "
                              "filters need"
                            : "is not a whole number from 2 to 32, which cuckoo filters "
                              "need");
  }
  const auto bits = static_cast<unsigned>(asked);
  return semi_sorted ? Fingerprints{16, bits - 4} : Fingerprints{1, bits};
}

}  // namespace

Shape choose_shape(std::uint64_t n, const FilterOptions& options) {
  const std::uint64_t keys = std::max(n, options.capacity);
  if (keys > kMaxKeys) {
    throw Error(ErrorKind::usage, "a cuckoo filter holds at most 2^40 keys");
  }
  if (options.bits) {
    const Fingerprints asked = of_bits(*options.bits, options.semi_sorted);
    return make_shape(asked, buckets_for(asked, keys, 0));
  }
  const std::uint64_t fpr = bits::fixed_part(asked_fpr(options));
  Shape best;
  Uint128 best_bits = ~Uint128{0};
  for (const Alphabet& alphabet : kAlphabets) {
    for (unsigned low = 0; low <= alphabet.max_low_bits; ++low) {
      const Fingerprints tried{alphabet.symbols, low};
      if (tried.semi_sorted() != options.semi_sorted || !tried.valid()) continue;
      const std::uint64_t buckets = buckets_for(tried, keys, fpr);
      const Uint128 bits = Uint128{buckets} * tried.bucket_bits();
      if (bits >= best_bits) continue;
      best_bits = bits;
      best = make_shape(tried, buckets);
    }
  }
  return best;
}

double expected_fpr(const Shape& shape, std::uint64_t n) noexcept {
  return -std::expm1(
      -2 * static_cast<double>(n) /
      (static_cast<double>(shape.buckets()) * static_cast<double>(shape.fingerprints.largest())));
}

std::uint64_t capacity_of(const Shape& shape, std::uint64_t fpr) noexcept {
  const auto keys = static_cast<std::uint64_t>(Uint128{shape.slots()} * kLoadPercent / 100);
  if (fpr == 0) return keys;
  const Uint128 of_bucket = Uint128{pairs_for(fpr)} * shape.fingerprints.largest() / 2;
  // If buckets are full before they have that many, the load alone decides.
  if (of_bucket >> kLogBits >= kSlots) return keys;
  return std::min(keys, static_cast<std::uint64_t>(of_bucket * shape.buckets() >> kLogBits));
}

}  // namespace crivo::filter::cuckoo
