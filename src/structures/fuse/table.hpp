// SPDX-License-Identifier: Apache-2.0
/// Looks up values in a fuse section.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/page_checks.hpp"
#include "crivo/detail/filter_lookup.hpp"
#include "crivo/detail/map_lookup.hpp"
#include "hashing/hash128.hpp"
#include "structures/fuse/graph.hpp"
#include "structures/fuse/header.hpp"
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

  std::uint64_t (*value_)(const void* table, std::uint64_t hi, std::uint64_t lo) noexcept;
  void (*values_)(const Table&, std::span<const Hash128>, std::uint64_t*) noexcept;
  bool (*contains_)(const void* table, std::uint64_t hi, std::uint64_t lo) noexcept;
  void (*contains_all_)(const Table&, std::span<const Hash128>, bool*) noexcept;
  std::uint64_t n_;
  unsigned width_;
  std::uint64_t value_mask_ = 0;
  detail::FuseShape shape_;
  const std::byte* slots_ = nullptr;
  base::Pages pages_;
  std::vector<detail::FuseShard> shards_;
  std::unique_ptr<const ribbon::Table> small_set_;
};

}  // namespace crivo::fuse
