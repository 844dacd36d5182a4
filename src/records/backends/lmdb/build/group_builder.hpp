// SPDX-License-Identifier: Apache-2.0
/// Putting units together in groups (records/backends/lmdb/group.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "records/backends/lmdb/group.hpp"
#include "records/build/record_encoder.hpp"

namespace crivo::records {

/// A group is closed before the unit that would make it larger than this; only a single unit makes
/// a larger group. Sixteen pages of 4096 bytes less LMDB's header of 16: places in it have 16 bits,
/// and every open reads the pages that lead to groups.
inline constexpr std::uint64_t kGroupTarget = 16 * 4096 - 16;

/// Collects units into a group.
class GroupBuilder {
 public:
  bool empty() const noexcept { return units_.empty(); }

  /// Whether the group, with `unit` added, stays within kGroupTarget.
  bool fits(const EncodedUnit& unit) const noexcept;
  /// Adds a unit. Copies its bytes.
  void add(const EncodedUnit& unit);
  /// The group's bytes; the builder is empty afterwards.
  base::Bytes finish();

 private:
  struct End {
    std::size_t place;      // in the units
    std::uint64_t records;  // up to it
  };
  std::uint64_t records() const noexcept { return units_.empty() ? 0 : units_.back().records; }

  std::vector<End> units_;
  base::Bytes body_;
};

}  // namespace crivo::records
