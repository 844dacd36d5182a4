/// The part of a filter's lookup that is compiled into its caller. Not an interface; Filter's
/// contains() is. formats/fuse.md specifies the arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>

#include "crivo/detail/fingerprint.hpp"
#include "crivo/detail/hash128.hpp"

namespace crivo::detail {

/// A shard of a fuse section, as its table says; checked when the section is opened.
struct alignas(32) FuseShard {
  std::uint64_t slots;   ///< of the shards before it
  std::uint64_t starts;  ///< of its slots, those in which a key's first one may lie
  std::uint64_t factor;  ///< of its seed
};

/// Where the slots of a key lie in a fuse section: arithmetic alone keeps them within it, whatever
/// the hash.
struct FuseShape {
  const FuseShard* shards = nullptr;  ///< 2^shard_bits
  unsigned shard_bits = 0;            ///< at most 63
  unsigned arity = 4;                 ///< slots of a key, 3 or 4
  std::uint64_t segment_slots = 1;    ///< a power of two

  /// Calls visit(slot) for each of the slots of a key whose hash is (hi, lo).
  template <typename Visit>
  [[gnu::always_inline]] inline void each_slot(std::uint64_t hi, std::uint64_t lo,
                                               Visit&& visit) const noexcept {
    const FuseShard& shard = shards[(hi >> 1) >> (63 - shard_bits)];
    const Product128 product = Product128{hi << shard_bits} * shard.starts;
    const std::uint64_t first = shard.slots + static_cast<std::uint64_t>(product >> 64);
    const std::uint64_t offsets = lo * shard.factor;
    const std::uint64_t within = segment_slots - 1;
    visit(first);
    visit((first + segment_slots) ^ (offsets >> 48 & within));
    visit((first + 2 * segment_slots) ^ (offsets >> 32 & within));
    if (arity == 4) visit((first + 3 * segment_slots) ^ (offsets >> 16 & within));
  }
};

/// What Filter asks: nothing is called for a fuse filter of fingerprints of a byte, the usual ones,
/// and for any other one function, which knows the filter's form.
struct FilterLookup {
  const std::byte* fuse_bytes = nullptr;  ///< the slots, if it is such a filter
  FuseShape fuse{};
  /// Else: whether the hash (hi, lo) is in the filter behind `filter`.
  bool (*call)(const void* filter, std::uint64_t hi, std::uint64_t lo) noexcept = nullptr;
  const void* filter = nullptr;
  bool by_first_half = false;  ///< whatever `lo` is, the answer is the same

  bool contains(Hash128 hash) const noexcept {
    if (fuse_bytes == nullptr) return call(filter, hash.hi, hash.lo);
    std::byte sum{static_cast<unsigned char>(fingerprint(hash.hi))};
    fuse.each_slot(hash.hi, hash.hi, [&](std::uint64_t slot) { sum ^= fuse_bytes[slot]; });
    return sum == std::byte{0};
  }
};

}  // namespace crivo::detail
