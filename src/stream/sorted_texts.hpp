// SPDX-License-Identifier: Apache-2.0
/// Some texts in memory, in byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace crivo::stream {

/// Texts that begin with the same bytes, which are kept once; of each only the rest stands in an
/// *entry*: varint its length, then its bytes. Its memory serves one filling after another.
class SortedTexts {
 public:
  /// Bytes that an entry of a rest of so many bytes takes.
  static std::size_t entry_size(std::size_t rest) noexcept;
  /// Writes an entry to `to`, which has room for it.
  static void write_entry(std::byte* to, std::string_view rest) noexcept;

  void clear() noexcept;
  /// Adds all entries of `entries`, which stay where they are until clear(). Throws Error(corrupt)
  /// where they are no entries.
  void add(base::ByteView entries);
  /// Room for entries that are to be added, until clear().
  std::span<std::byte> room(std::size_t bytes);
  /// Puts all texts in order. O(n log n) comparisons of a few bytes each: a multikey quicksort with
  /// the next bytes of each text beside its address (Bentley and Sedgewick, SODA 1997; Ng and
  /// Kakehi, 2007).
  void sort();

  std::size_t size() const noexcept { return refs_.size(); }
  /// Returns the rest of a text, behind the bytes that all texts begin with.
  std::string_view rest(std::size_t i) const noexcept { return rest_of(refs_[i]); }

 private:
  /// The item to sort.
  struct Ref {
    std::uint64_t slice;
    const std::byte* entry;
  };
  /// Texts whose first `depth` bytes are the same.
  struct Range {
    std::size_t begin;
    std::size_t end;
    std::size_t depth;
  };

  static std::string_view rest_of(const Ref& ref) noexcept;
  void add_equal(std::size_t begin, std::size_t end, std::size_t depth);

  std::vector<Ref> refs_;
  std::vector<Range> unsorted_;
  std::vector<base::Bytes> rooms_;
};

}  // namespace crivo::stream
