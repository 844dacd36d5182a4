// SPDX-License-Identifier: Apache-2.0
/// Looks up values in a ribbon section, and the filter type `ribbon`: a static function of a
/// fingerprint of each key (formats/ribbon.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>

#include "base/bytes.hpp"
#include "crivo/detail/filter_lookup.hpp"
#include "crivo/detail/map_lookup.hpp"
#include "hashing/hash128.hpp"
#include "structures/filter.hpp"
#include "structures/ribbon/header.hpp"
#include "structures/ribbon/kernels.hpp"
#include "structures/ribbon/layers.hpp"
#include "structures/ribbon/small_set.hpp"

namespace crivo::ribbon {

/// A static function over mapped bytes that must outlive it. Immutable; safe for any number of
/// threads. Whatever the bytes hold, no byte outside them is read.
class Table {
 public:
  /// Opens a section of the type whose keys are known by that part of their hashes. Throws
  /// Error(corrupt) if it is unsound. If the bytes have checks, it touches what is read, then and
  /// by lookups. O(1).
  explicit Table(const base::CheckedBytes& section, HashPart part = HashPart::whole);

  /// The number of keys it was built over.
  std::uint64_t size() const noexcept { return header_.n; }
  /// The bits of a value; of a filter, those of the widest.
  unsigned width() const noexcept { return header_.width.bits; }

  /// The key's value; for a key that was not built in, anything below 2^width(). In a section of
  /// filters, keys are (hi, hi): of_filter().
  std::uint64_t value(Hash128 hash) const noexcept {
    return kernel_.value(rows(), hash.hi, hash.lo);
  }
  /// values[i] = value(hashes[i]), with the cache misses overlapped.
  void values(std::span<const Hash128> hashes, std::uint64_t* values) const noexcept {
    kernel_.values(rows(), hashes, values);
  }
  /// value(), as long as the table stays where it is.
  detail::MapLookup value_lookup() const noexcept { return {kernel_.value, rows()}; }

  /// Lets a rule call Kernel::bit(), in a function of one bit, as long as the table stays where it
  /// is. In a small set, no first half of a hash tells the bit.
  void set_bit(detail::ExactRule& rule) const noexcept {
    if (kernel_.bit == nullptr) return;
    rule.bit = kernel_.bit;
    rule.function = rows();
  }
  /// The same of many: Kernel::bits().
  void bits(std::span<const Hash128> hashes, std::uint8_t* bits) const noexcept {
    if (kernel_.bit != nullptr) return kernel_.bits(rows(), hashes, bits);
    std::fill_n(bits, hashes.size(), kWholeHash);
  }

  /// Whether, in a section of filters, of at most 32 bits, it is not empty and the key's value is
  /// its fingerprint.
  bool contains(Hash128 hash) const noexcept { return kernel_.contains(rows(), hash.hi, hash.lo); }
  void contains(std::span<const Hash128> hashes, bool* answers) const noexcept {
    kernel_.contains_all(rows(), hashes, answers);
  }
  /// The part of all hashes that contains() is true for; of those with the first half of a key's
  /// hash, it always is.
  double rate() const noexcept { return rate_of(header_.n, header_.width); }

  /// contains() of one hash, as long as the table stays where it is.
  detail::FilterLookup lookup() const noexcept {
    return {
        .form = detail::FilterLookup::Form::first_half, .call = kernel_.contains, .filter = rows()};
  }

 private:
  using Rows = std::variant<Layers, LongLayers, SmallSet>;
  static Rows open_rows(const Header& header, const base::CheckedBytes& section);
  Form form() const noexcept;
  const void* rows() const noexcept {
    return std::visit([](const auto& rows) -> const void* { return &rows; }, rows_);
  }

  Header header_;
  Rows rows_;
  Kernel kernel_;
};

}  // namespace crivo::ribbon

namespace crivo::filter {

std::unique_ptr<const Membership> open_ribbon(base::ByteView section);

}  // namespace crivo::filter
