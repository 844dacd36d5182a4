// SPDX-License-Identifier: Apache-2.0
/// The shape of a cuckoo filter: how many buckets of which fingerprints, and where a hash has its
/// two.
///
/// Fan, Andersen, Kaminsky, Mitzenmacher, "Cuckoo Filter: Practically Better Than Bloom" (CoNEXT
/// 2014). There the other bucket of a fingerprint in bucket i is i xor h(fingerprint), so the
/// number of buckets is a power of two. Here it is h(fingerprint) - i modulo the buckets of a
/// *segment*, which is its own inverse for any number. Both buckets lie in one segment, small
/// enough for a processor's cache, as in Wang, Zhou, Shi, Qin, "Vacuum Filters" (VLDB 2019): so a
/// build fills segment after segment, each from the keys whose hashes begin with its number. A
/// fingerprint that finds no room in its segment, as there hardly ever is one, is *stashed*.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "crivo/detail/filter_lookup.hpp"
#include "hashing/hash128.hpp"
#include "structures/bits/bit_fields.hpp"

namespace crivo::filter::cuckoo {

inline constexpr unsigned kSlots = 4;  ///< of a bucket; a slot has a fingerprint, or 0
inline constexpr std::uint64_t kHeaderBytes = 64;

/// Where there are several segments, each has at least so many buckets, and less than twice as
/// many.
inline constexpr unsigned kSegmentBucketBits = 15;

/// The alphabets of semi-sorted buckets, and the bits of the C(symbols + 3, 4) multisets: of all
/// sizes up to 16, those that waste the least of their last bit.
struct Alphabet {
  unsigned symbols;
  unsigned code_bits;
  unsigned max_low_bits;  ///< a bucket ends within 128 bits of the start of its first byte
};
inline constexpr std::array<Alphabet, 5> kAlphabets{
    {{1, 0, 32}, {9, 9, 28}, {11, 10, 27}, {13, 11, 27}, {16, 12, 28}}};

/// The fingerprints of a filter: 1 to largest(). One is a symbol, its upper part, and `low_bits`
/// bits. Buckets that are not semi-sorted have but one symbol, 0. In semi-sorted ones the slots
/// ascend, and the four symbols are stored as the number of their multiset.
struct Fingerprints {
  unsigned symbols = 1;
  unsigned low_bits = 0;

  bool semi_sorted() const noexcept { return symbols != 1; }
  std::uint64_t largest() const noexcept { return (std::uint64_t{symbols} << low_bits) - 1; }
  /// The bits of the number of a bucket's symbols.
  unsigned code_bits() const noexcept;
  unsigned bucket_bits() const noexcept { return code_bits() + kSlots * low_bits; }
  /// Whether there are such fingerprints.
  bool valid() const noexcept;

  friend bool operator==(const Fingerprints&, const Fingerprints&) = default;
};

/// A hash's place: bucket `first` of its segment, counted from 0, and its fingerprint.
struct Place {
  std::uint64_t segment = 0;
  std::uint64_t first = 0;
  std::uint32_t fingerprint = 0;
};

struct Shape {
  Fingerprints fingerprints;
  unsigned segment_bits = 0;  ///< 2^segment_bits segments
  std::uint64_t segment_buckets = 1;

  std::uint64_t segments() const noexcept { return std::uint64_t{1} << segment_bits; }
  std::uint64_t buckets() const noexcept { return segment_buckets << segment_bits; }
  std::uint64_t slots() const noexcept { return kSlots * buckets(); }
  /// The bytes of all buckets, and of a segment's; where there are several, each ends a byte.
  std::uint64_t bytes() const noexcept {
    return base::div_ceil(buckets() * fingerprints.bucket_bits(), 8);
  }
  std::uint64_t segment_bytes() const noexcept {
    return base::div_ceil(segment_buckets * fingerprints.bucket_bits(), 8);
  }

  /// The place that the first half of a hash tells. Segments, and places in one, ascend with it.
  Place place(std::uint64_t hi) const noexcept {
    return {base::top_bits(hi, segment_bits), base::mulhi(hi << segment_bits, segment_buckets),
            static_cast<std::uint32_t>(
                1 + base::mulhi(hi * detail::kRowFactor, fingerprints.largest()))};
  }
  /// The other of the two buckets of a fingerprint in a segment. They may be one.
  std::uint64_t other(std::uint64_t bucket, std::uint32_t fingerprint) const noexcept {
    const std::uint64_t sum =
        base::mulhi(fingerprint * std::uint64_t{0x9e3779b97f4a7c15}, segment_buckets);
    return sum - bucket + (sum < bucket ? segment_buckets : 0);
  }
};

/// A fingerprint that is in no slot, with the lesser of its two buckets, counted over all segments.
struct Stashed {
  std::uint64_t bucket = 0;
  std::uint32_t fingerprint = 0;

  friend constexpr auto operator<=>(const Stashed&, const Stashed&) = default;
};

/// The bytes before the buckets, and behind them.
struct Header {
  Shape shape;
  std::uint64_t keys = 0;
  std::uint64_t capacity = 0;    ///< keys with which the rate and the load are as designed
  std::vector<Stashed> stash{};  ///< ascending
  /// The number of pairs of a bucket and a fingerprint that the filter holds: that have the
  /// fingerprint in the bucket, in its other or in the stash. So the false-positive rate is `pairs`
  /// in buckets * largest().
  std::uint64_t pairs = 0;

  double fpr() const noexcept;
  /// The 64 bytes before the buckets.
  base::Bytes encode() const;
  /// The bytes that follow them: padding, the stash and the pairs.
  base::Bytes encode_end() const;
  /// Reads and checks both ends of a section, and its length. Throws Error(corrupt).
  static Header decode(base::ByteView section);
};

/// Fingerprints by slot; 0 where a slot is free.
using Bucket = std::array<std::uint32_t, kSlots>;

/// The ascending symbols of every multiset of four, in 4 bits each, the least in the lowest. That
/// of s0 <= s1 <= s2 <= s3 has the number C(s0, 1) + C(s1 + 1, 2) + C(s2 + 2, 3) + C(s3 + 3, 4), so
/// those of a smaller alphabet come first.
struct SymbolTable {
  std::array<std::uint16_t, std::size_t{1} << 12> symbols;  ///< from C(19, 4) = 3876 on: zeros
};
const SymbolTable& symbol_table() noexcept;

/// The number of a bucket's symbols, which ascend.
constexpr std::uint32_t symbol_code(const std::array<std::uint32_t, kSlots>& s) noexcept {
  return s[0] + s[1] * (s[1] + 1) / 2 + s[2] * (s[2] + 1) * (s[2] + 2) / 6 +
         s[3] * (s[3] + 1) * (s[3] + 2) * (s[3] + 3) / 24;
}

/// The buckets of a filter, packed one after another, lowest bits first: a code of code_bits()
/// bits, then low_bits of each slot.
class Packing {
 public:
  explicit Packing(const Fingerprints& fingerprints) noexcept
      : low_bits_(fingerprints.low_bits),
        code_bits_(fingerprints.code_bits()),
        bucket_bits_(fingerprints.bucket_bits()),
        low_mask_((std::uint64_t{1} << low_bits_) - 1),
        symbols_(symbol_table().symbols.data()) {}

  /// Bucket `index` of those at `data`, which go on for bits::kFieldPadding.
  Bucket get(const std::byte* data, std::uint64_t index) const noexcept {
    bits::BitsWord word = bits::load_bits(data, index * bucket_bits_);
    const std::uint32_t symbols =
        symbols_[static_cast<std::size_t>(word & ((1U << code_bits_) - 1))];
    word >>= code_bits_;
    Bucket bucket;
    for (unsigned i = 0; i < kSlots; ++i) {
      const std::uint64_t symbol = symbols >> (4 * i) & 0xf;
      bucket[i] = static_cast<std::uint32_t>(symbol << low_bits_ |
                                             (static_cast<std::uint64_t>(word) & low_mask_));
      word >>= low_bits_;
    }
    return bucket;
  }

  /// The bits of a bucket; of a semi-sorted one, the slots are put in order.
  bits::BitsWord pack(Bucket bucket) const noexcept {
    std::uint32_t code = 0;
    if (code_bits_ != 0) {
      std::ranges::sort(bucket);
      code = symbol_code({bucket[0] >> low_bits_, bucket[1] >> low_bits_, bucket[2] >> low_bits_,
                          bucket[3] >> low_bits_});
    }
    bits::BitsWord word = 0;
    for (unsigned i = kSlots; i-- > 0;) word = word << low_bits_ | (bucket[i] & low_mask_);
    return word << code_bits_ | code;
  }

  /// Replaces bucket `index`.
  void set(std::byte* data, std::uint64_t index, const Bucket& bucket) const noexcept {
    bits::store_bits(data, index * bucket_bits_, bucket_bits_, pack(bucket));
  }

  unsigned bucket_bits() const noexcept { return bucket_bits_; }

 private:
  unsigned low_bits_;
  unsigned code_bits_;
  unsigned bucket_bits_;
  std::uint64_t low_mask_;
  const std::uint16_t* symbols_;
};

}  // namespace crivo::filter::cuckoo
