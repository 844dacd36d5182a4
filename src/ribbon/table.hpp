/// Looks up values in a ribbon section.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "crivo/hash.hpp"
#include "file/bytes.hpp"
#include "ribbon/header.hpp"
#include "ribbon/rows.hpp"
#include "ribbon/small_set.hpp"

namespace crivo::ribbon {

/// A static function over mapped bytes that must outlive it. Immutable; safe for any number of
/// threads. Whatever the bytes hold, no byte outside them is read.
class Table {
 public:
  /// Throws Error(corrupt) if the section is unsound. O(partitions): one for about 10^6 keys.
  explicit Table(file::ByteView section);

  /// The number of keys it was built over.
  std::uint64_t size() const noexcept { return header_.n; }
  /// The bits of a value.
  unsigned width() const noexcept { return header_.width; }

  /// The key's value; for a key that was not built in, anything below 2^width().
  std::uint64_t value(Hash128 hash) const noexcept;
  /// values[i] = value(hashes[i]), with the cache misses overlapped.
  void values(std::span<const Hash128> hashes, std::uint64_t* values) const noexcept;

 private:
  struct Layer {
    std::uint64_t starts;         // 0: there is no such layer, nor a further one
    const std::byte* slots;       // blocks of 64 slots
    const std::byte* thresholds;  // two bits a bucket
  };
  using Partition = std::array<Layer, kLayers>;

  /// Where a key's row lies: the slots of a block and of the next that its coefficients select.
  struct Row {
    const std::byte* block;
    std::uint64_t here;
    std::uint64_t beyond;
  };

  Row find(Hash128 hash) const noexcept;
  std::uint64_t evaluate(const Row& row) const noexcept;

  Header header_;
  std::optional<SmallSet> small_set_;
  unsigned partition_bits_;
  std::uint64_t block_bytes_;
  std::vector<Partition> partitions_;
};

}  // namespace crivo::ribbon
