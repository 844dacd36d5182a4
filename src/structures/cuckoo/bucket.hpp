// SPDX-License-Identifier: Apache-2.0
/// How the four fingerprints of a bucket are packed into bits.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "structures/bits/bit_fields.hpp"
#include "structures/cuckoo/shape.hpp"

namespace crivo::filter::cuckoo {

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
