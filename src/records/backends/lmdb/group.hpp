// SPDX-License-Identifier: Apache-2.0
/// A page group: several units that stand together as one value of the LMDB environment, chosen so
/// that they fill its pages well. Its key there is the rank of its last record.
///
/// Bytes: u16 the number of units, u; u16 that of their records, r (a block has 8192 at most); u -
/// 1 times u16 the place of the next unit, from the first's; where r is more than u, u - 1 times
/// u16 the number of records up to that unit; the units. See formats/store.md. The directory has no
/// checksum: a unit's own is of its rank.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

namespace crivo::records {

/// The bytes of each number in the directory of a group.
inline constexpr std::size_t kGroupNumber = 2;

/// The bytes of a directory.
constexpr std::uint64_t group_directory_size(std::uint64_t units, std::uint64_t records) noexcept {
  return kGroupNumber * (2 + (units - 1) * (records > units ? 2 : 1));
}

/// A group that is read, from untrusted bytes: nothing is read outside them.
class GroupReader {
 public:
  /// A unit of the group, which is as it should be if it opens (UnitReader::open).
  struct Unit {
    std::uint64_t first_rank = 0;
    std::uint64_t records = 0;
    base::ByteView stored;
  };

  /// Reads the directory of the group that ends with rank `last_rank`; false if it is damaged.
  bool open(base::ByteView group, std::uint64_t last_rank) noexcept;
  std::uint64_t first_rank() const noexcept { return last_rank_ - (records_ - 1); }
  std::uint64_t last_rank() const noexcept { return last_rank_; }
  std::uint64_t units() const noexcept { return units_; }

  /// The bytes of the directory that find() will read, as far as it is known: where each unit is a
  /// record. Empty else, and where the group does not hold the rank.
  base::ByteView directory_entry(std::uint64_t rank) const noexcept;
  /// The unit that should hold `rank`; false if the group is damaged or does not hold the rank.
  /// Where every unit is a record that costs nothing, else a binary search.
  bool find(std::uint64_t rank, Unit& unit) const noexcept;

 private:
  std::uint64_t place(std::uint64_t unit) const noexcept;
  std::uint64_t records_before(std::uint64_t unit) const noexcept;

  base::ByteView places_;  // of the units but the first
  base::ByteView counts_;  // of the records up to them; empty: of one each
  base::ByteView body_;
  std::uint64_t units_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t last_rank_ = 0;
};

}  // namespace crivo::records
