/// Looks up values in a fuse section.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "crivo/hash.hpp"
#include "file/bytes.hpp"
#include "fuse/header.hpp"
#include "ribbon/small_set.hpp"

namespace crivo::fuse {

/// A static function over mapped bytes that must outlive it. Immutable; safe for any number of
/// threads. Whatever the bytes hold, no byte outside them is read.
class Table {
 public:
  /// Throws Error(corrupt) if the section is unsound. O(shards): one for about 10^6 keys.
  explicit Table(file::ByteView section);

  /// The number of keys it was built over.
  std::uint64_t size() const noexcept { return n_; }
  /// The bits of a value.
  unsigned width() const noexcept { return width_; }

  /// The key's value; for a key that was not built in, anything below 2^width().
  std::uint64_t value(Hash128 hash) const noexcept;
  /// values[i] = value(hashes[i]), with the cache misses overlapped.
  void values(std::span<const Hash128> hashes, std::uint64_t* values) const noexcept;

 private:
  /// How slots are loaded: as integers, or out of the bytes that they share with others.
  enum class Slots : std::uint8_t { u8, u16, u32, u64, packed, wide_packed };

  template <unsigned kArity, Slots kSlots>
  std::uint64_t look_up(Hash128 hash) const noexcept;
  template <unsigned kArity, Slots kSlots>
  void look_up(std::span<const Hash128> hashes, std::uint64_t* values) const noexcept;
  template <Slots kSlots>
  std::uint64_t load(std::uint64_t slot) const noexcept;
  /// Calls `use` with the arity and the kind of slots as compile-time constants.
  template <typename Use>
  auto dispatch(Use&& use) const noexcept;

  std::uint64_t n_;
  unsigned width_;
  unsigned arity_;
  Slots kind_ = Slots::u8;
  unsigned shard_bits_ = 0;
  unsigned segment_bits_ = 0;
  std::uint64_t starts_ = 0;
  std::uint64_t shard_slots_ = 0;
  const std::byte* slots_ = nullptr;
  std::vector<std::uint64_t> factors_;  // of the shards' seeds
  std::optional<ribbon::SmallSet> small_set_;
};

}  // namespace crivo::fuse
