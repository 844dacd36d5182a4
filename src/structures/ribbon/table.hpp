/// Looks up values in a ribbon section.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "base/bytes.hpp"
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
  /// O(partitions): one for about 10^6 keys.
  explicit Table(base::ByteView section, Layout layout = Layout::blocks_of_8);

  /// The number of keys it was built over.
  std::uint64_t size() const noexcept { return header_.n; }
  /// The bits of a value.
  unsigned width() const noexcept { return header_.width; }

  /// The key's value; for a key that was not built in, anything below 2^width().
  std::uint64_t value(Hash128 hash) const noexcept {
    const Layers* const layers = std::get_if<Layers>(&form_);
    return layers != nullptr ? kernel_.value(*layers, hash.hi, hash.lo)
                             : small_value(hash.hi, hash.lo);
  }
  /// Whether the table is not empty and the key's value is its fingerprint of width() bits, at most
  /// 32: the answer of the filter that the table is, if those are the values that it was built of.
  bool contains(Hash128 hash) const noexcept {
    const Layers* const layers = std::get_if<Layers>(&form_);
    return layers != nullptr ? kernel_.contains(*layers, hash.hi, hash.lo)
                             : small_contains(hash.hi, hash.lo);
  }
  /// values[i] = value(hashes[i]), with the cache misses overlapped.
  void values(std::span<const Hash128> hashes, std::uint64_t* values) const noexcept;

 private:
  using Form = std::variant<Layers, SmallSet>;
  static Form open_form(const Header& header, base::ByteView section);
  std::uint64_t small_value(std::uint64_t hi, std::uint64_t lo) const noexcept;
  bool small_contains(std::uint64_t hi, std::uint64_t lo) const noexcept;

  Header header_;
  Form form_;
  Kernel kernel_;
};

}  // namespace crivo::ribbon
