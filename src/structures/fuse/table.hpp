/// Looks up values in a fuse section.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "hashing/hash128.hpp"
#include "structures/fuse/header.hpp"
#include "structures/ribbon/small_set.hpp"

namespace crivo::fuse {

/// How slots are loaded: as integers, or out of bytes that they share with others.
enum class Slots : std::uint8_t { u8, u16, u32, u64, packed, wide_packed };

/// A static function over mapped bytes that must outlive it. Immutable; safe for any number of
/// threads. Whatever the bytes hold, no byte outside them is read.
class Table {
 public:
  /// Throws Error(corrupt) if the section is unsound. O(shards): one for 400,000 keys at most.
  explicit Table(base::ByteView section);

  /// The number of keys it was built over.
  std::uint64_t size() const noexcept { return n_; }
  /// The bits of a value.
  unsigned width() const noexcept { return width_; }

  /// The key's value; for a key that was not built in, anything below 2^width().
  std::uint64_t value(Hash128 hash) const noexcept { return value_(*this, hash); }
  /// values[i] = value(hashes[i]), with the cache misses overlapped.
  void values(std::span<const Hash128> hashes, std::uint64_t* values) const noexcept {
    values_(*this, hashes, values);
  }

 private:
  /// The lookups for an arity and a kind of slots.
  template <unsigned kArity, Slots kSlots>
  struct Kernel;
  struct SmallKernel;

  struct Shard {
    std::uint64_t slots;   // of the shards before it
    std::uint64_t starts;  // of its slots, those in which a key's first one may lie
    std::uint64_t factor;  // of its seed
  };

  /// Sets the two pointers to the kernel's functions.
  template <typename Lookups>
  void use() noexcept;
  template <unsigned kArity>
  void use_kernel() noexcept;

  std::uint64_t (*value_)(const Table&, Hash128) noexcept;
  void (*values_)(const Table&, std::span<const Hash128>, std::uint64_t*) noexcept;
  std::uint64_t n_;
  unsigned width_;
  unsigned shard_bits_ = 0;
  std::uint64_t value_mask_ = 0;
  std::uint64_t segment_slots_ = 0;
  const std::byte* slots_ = nullptr;
  std::vector<Shard> shards_;
  std::unique_ptr<const ribbon::SmallSet> small_set_;
};

}  // namespace crivo::fuse
