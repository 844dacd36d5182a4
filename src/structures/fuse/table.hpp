// SPDX-License-Identifier: Apache-2.0
/// Looks up values in a fuse section, and the filter type `fuse`: a static function of a
/// fingerprint of each key (formats/fuse.md).
///
///     section   header 64 | slots of shard 0 | of shard 1 | ... | 4 bytes a shard | 16 zeros
///     shard     segments of 2^l slots of `width` bits; its 4 bytes: seed, number of segments
///     small     header 64 | a small ribbon section
///
///     hash ──▶ shard ──▶ a slot in each of k segments in a row ──▶ their xor: value
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/page_checks.hpp"
#include "crivo/detail/filter_lookup.hpp"
#include "crivo/detail/map_lookup.hpp"
#include "hashing/hash128.hpp"
#include "structures/filter.hpp"
#include "structures/fuse/graph.hpp"
#include "structures/ribbon/table.hpp"

namespace crivo::fuse {

/// How slots are loaded: as integers, or out of bytes that they share with others.
enum class Slots : std::uint8_t { u8, u16, u32, u64, packed, wide_packed };

/// A static function over mapped bytes that must outlive it. Immutable; safe for any number of
/// threads. Whatever the bytes hold, no byte outside them is read.
class Table {
 public:
  /// Opens a section whose keys are known by that part of their hashes. Throws Error(corrupt) if it
  /// is unsound. O(shards): of each, some 400,000 to 800,000 keys, four bytes are read, which lie
  /// side by side. If the bytes have checks, it touches what is read, then and by value().
  explicit Table(const base::CheckedBytes& section, HashPart part = HashPart::whole);

  /// The number of keys it was built over.
  std::uint64_t size() const noexcept { return n_; }
  /// The bits of a value.
  unsigned width() const noexcept { return width_; }

  /// The key's value; for a key that was not built in, anything below 2^width().
  std::uint64_t value(Hash128 hash) const noexcept { return value_(this, hash.hi, hash.lo); }
  /// value(), as long as the table stays where it is.
  detail::MapLookup value_lookup() const noexcept { return {value_, this}; }
  /// values[i] = value(hashes[i]), with the cache misses overlapped.
  void values(std::span<const Hash128> hashes, std::uint64_t* values) const noexcept {
    values_(*this, hashes, values);
  }

  /// Whether, in a filter, whose width is at most 32, it is not empty and the value of the key (hi,
  /// hi) is its fingerprint.
  bool contains(Hash128 hash) const noexcept { return contains_(this, hash.hi, hash.lo); }
  /// answers[i] = contains(hashes[i]), with the cache misses overlapped.
  void contains(std::span<const Hash128> hashes, bool* answers) const noexcept {
    contains_all_(*this, hashes, answers);
  }
  /// The part of all hashes that contains() is true for.
  double rate() const noexcept { return n_ == 0 ? 0 : std::ldexp(1.0, -static_cast<int>(width_)); }
  /// contains() of one hash, as long as the table stays where it is.
  detail::FilterLookup lookup() const noexcept;

 private:
  /// The lookups for an arity and a kind of slots.
  template <unsigned kArity, Slots kSlots>
  struct Kernel;
  struct SmallKernel;

  /// Sets the pointers to the kernel's functions.
  template <typename Lookups>
  void use() noexcept;
  template <unsigned kArity>
  void use_kernel() noexcept;
  /// Touches the first `bytes` of each of the key's slots. Apart from value(), whose pages are
  /// mostly compared.
  void touch(Hash128 hash, unsigned arity, std::uint64_t bytes) const noexcept;

  std::uint64_t (*value_)(const void* table, std::uint64_t hi, std::uint64_t lo) noexcept;
  void (*values_)(const Table&, std::span<const Hash128>, std::uint64_t*) noexcept;
  bool (*contains_)(const void* table, std::uint64_t hi, std::uint64_t lo) noexcept = nullptr;
  void (*contains_all_)(const Table&, std::span<const Hash128>, bool*) noexcept = nullptr;
  std::uint64_t n_;
  unsigned width_;
  std::uint64_t value_mask_ = 0;
  detail::FuseShape shape_;
  const std::byte* slots_ = nullptr;
  base::Pages pages_;
  std::vector<detail::FuseShard> shards_;
  std::unique_ptr<const ribbon::Table> small_set_;
};

struct Header {
  unsigned width;   ///< bits of a value, 1 to 64
  std::uint64_t n;  ///< keys
  Shape shape;      ///< of small sets, only the arity counts
};

inline constexpr std::uint64_t kHeaderBytes = 64;
/// Zero bytes at the end: a lookup loads nine bytes at a time.
inline constexpr std::uint64_t kEndPadding = 16;

/// The bytes of each shard's entry, behind the slots of all: its segments and its seed.
inline constexpr std::uint64_t kTableEntryBytes = 4;
constexpr std::uint32_t encode_shard(std::uint64_t segments, unsigned seed) noexcept {
  return static_cast<std::uint32_t>(segments << 8 | seed);
}
/// In an entry: the shard's slots begin at the next multiple of kApartSlots of all slots, which is
/// a whole number of pages behind the header whatever their width. (In manifests, where they are
/// mapped out of files of their own.)
inline constexpr std::uint32_t kApart = 0x80;
inline constexpr std::uint64_t kApartSlots = std::uint64_t{8} << 12;
static_assert(kSegmentCountBits + 8 == 8 * kTableEntryBytes);

base::Bytes encode(const Header& header);

/// Throws Error(corrupt) unless `section` begins with a sound header.
Header decode_header(const base::CheckedBytes& section);

}  // namespace crivo::fuse

namespace crivo::filter {

std::unique_ptr<const Membership> open_fuse(base::ByteView section);

}  // namespace crivo::filter
