// SPDX-License-Identifier: Apache-2.0
/// The part of a filter's lookup that is compiled into its caller. Not an interface; Filter's
/// contains() is. formats/fuse.md specifies the arithmetic. Fingerprints are what filters make of
/// the first half of a key's hash.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crivo/detail/hash128.hpp"

namespace crivo::detail {

/// An odd number without a pattern. Of its product with a key's first half a ribbon takes the lower
/// 64 bits as a row, and fingerprints are the bits above.
inline constexpr std::uint64_t kRowFactor = 0xd1342543de82ef95U;

/// The value, of which the lowest 1 to 32 bits count, that a filter gives the keys of the set. No
/// linear function over GF(2) of the row.
constexpr std::uint32_t fingerprint(std::uint64_t hi) noexcept {
  return static_cast<std::uint32_t>((Product128{hi} * kRowFactor) >> 64);
}

/// A shard of a fuse section, as its table says; checked when the section is opened.
struct alignas(32) FuseShard {
  std::uint64_t slots;   ///< of the shards before it
  std::uint64_t starts;  ///< of its slots, those in which a key's first one may lie
  std::uint64_t factor;  ///< of its seed
};

/// Where the slots of a key lie in a fuse section: arithmetic alone keeps them within it, whatever
/// the hash. Its numbers are of a type that no array of 64-bit answers has, so that a loop which
/// stores answers may keep them in registers.
struct FuseShape {
  using Number = unsigned long long;
  static_assert(sizeof(Number) == sizeof(std::uint64_t));

  const FuseShard* shards = nullptr;
  Number shard_count = 1;    ///< 2^g
  unsigned arity = 4;        ///< slots of a key, 3 or 4
  Number segment_slots = 1;  ///< a power of two

  /// Calls visit(slot) for each of the `kArity` slots of a key whose hash is (hi, lo).
  template <unsigned kArity, typename Visit>
  [[gnu::always_inline]] inline void each_slot(std::uint64_t hi, std::uint64_t lo,
                                               Visit&& visit) const noexcept {
    const FuseShard* shard = shards;
    std::uint64_t place = hi;
    // Without the product below, nothing of a shard waits for the hash.
    if (shard_count != 1) {
      // The highest g bits are the shard, the others the place in it: the halves of one product.
      const Product128 parts = Product128{hi} * shard_count;
      shard += static_cast<std::uint64_t>(parts >> 64);
      place = static_cast<std::uint64_t>(parts);
    }
    const Product128 product = Product128{place} * shard->starts;
    const std::uint64_t first = shard->slots + static_cast<std::uint64_t>(product >> 64);
    const std::uint64_t offsets = lo * shard->factor;
    const std::uint64_t within = segment_slots - 1;
    visit(first);
    visit((first + segment_slots) ^ (offsets >> 48 & within));
    visit((first + 2 * segment_slots) ^ (offsets >> 32 & within));
    if constexpr (kArity == 4) visit((first + 3 * segment_slots) ^ (offsets >> 16 & within));
  }
};

/// Answers for Filter: nothing is called for a fuse filter of fingerprints of a byte, the usual
/// ones, and for any other one function, which knows the filter's form.
struct FilterLookup {
  enum class Form : std::uint8_t {
    whole_hash,  ///< call() with all of the hash
    first_half,  ///< call(), which does not look at `lo`
    fuse_4,      ///< fuse_contains(), which needs the first half alone
    fuse_3,
    xxh64,  ///< as whole_hash; of a key's hash only the first half, XXH64's, is looked at
  };
  /// Whether a key of the usual key hash needs no more than the first half of it.
  static constexpr bool takes_first_half(Form form) noexcept {
    return form == Form::fuse_4 || form == Form::fuse_3 || form == Form::first_half;
  }

  Form form = Form::whole_hash;
  const std::byte* fuse_bytes = nullptr;  ///< the slots of a fuse filter
  FuseShape fuse{};
  /// Asks any other whether the hash (hi, lo) is in the filter behind `filter`.
  bool (*call)(const void* filter, std::uint64_t hi, std::uint64_t lo) noexcept = nullptr;
  const void* filter = nullptr;

  template <unsigned kArity>
  [[gnu::always_inline]] inline bool fuse_contains(std::uint64_t hi) const noexcept {
    std::byte sum{static_cast<unsigned char>(fingerprint(hi))};
    fuse.each_slot<kArity>(hi, hi, [&](std::uint64_t slot) { sum ^= fuse_bytes[slot]; });
    return sum == std::byte{0};
  }

  bool contains(Hash128 hash) const noexcept {
    if (form == Form::fuse_4) return fuse_contains<4>(hash.hi);
    if (form == Form::fuse_3) return fuse_contains<3>(hash.hi);
    return call(filter, hash.hi, hash.lo);
  }
};

}  // namespace crivo::detail
