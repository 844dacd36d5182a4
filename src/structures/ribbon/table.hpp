// SPDX-License-Identifier: Apache-2.0
/// Looks up values in a ribbon section.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "base/bytes.hpp"
#include "crivo/detail/filter_lookup.hpp"
#include "crivo/detail/map_lookup.hpp"
#include "hashing/hash128.hpp"
#include "structures/ribbon/header.hpp"
#include "structures/ribbon/kernels.hpp"
#include "structures/ribbon/layers.hpp"
#include "structures/ribbon/small_set.hpp"

namespace crivo::ribbon {

/// A static function over mapped bytes that must outlive it. Immutable; safe for any number of
/// threads. Whatever the bytes hold, no byte outside them is read.
class Table {
 public:
  /// Opens a section of the type that has that layout. Throws Error(corrupt) if it is unsound.
  /// O(1).
  explicit Table(base::ByteView section, Layout layout = Layout::blocks_of_8);

  /// The number of keys it was built over.
  std::uint64_t size() const noexcept { return header_.n; }
  /// The bits of a value; of a filter, those of the widest.
  unsigned width() const noexcept { return header_.width.bits; }

  /// The key's value; for a key that was not built in, anything below 2^width(). In a section of
  /// filters (blocks of 64) the value of the key (hi, hi).
  std::uint64_t value(Hash128 hash) const noexcept;
  /// values[i] = value(hashes[i]), with the cache misses overlapped.
  void values(std::span<const Hash128> hashes, std::uint64_t* values) const noexcept;

  /// value() of a section of functions (blocks of 8), as long as the table stays where it is.
  detail::MapLookup value_lookup() const noexcept;

  /// Of a section of filters, of at most 32 bits: whether it is not empty and the key's value is
  /// its fingerprint.
  bool contains(Hash128 hash) const noexcept;
  void contains(std::span<const Hash128> hashes, bool* answers) const noexcept;
  /// The part of all hashes that contains() is true for; of those with the first half of a key's
  /// hash, it always is.
  double rate() const noexcept;

  /// contains() of one hash, as long as the table stays where it is.
  detail::FilterLookup lookup() const noexcept;

 private:
  const Layers* layers() const noexcept { return std::get_if<Layers>(&form_); }

  using Form = std::variant<Layers, SmallSet>;
  static Form open_form(const Header& header, base::ByteView section);
  /// What the section knows a key as.
  Hash128 known(Hash128 hash) const noexcept {
    return header_.layout == Layout::blocks_of_64 ? of_filter(hash) : hash;
  }

  Header header_;
  Form form_;
  Kernel kernel_;
};

}  // namespace crivo::ribbon
