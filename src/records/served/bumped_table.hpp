// SPDX-License-Identifier: Apache-2.0
/// Where the records of bumped keys are in the parts of a store that is served unmerged: section
/// 115 (formats/manifest.md).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/page_checks.hpp"
#include "hashing/crc32c.hpp"
#include "structures/bumped_ranks.hpp"

namespace crivo::records {

/// Bytes: u64 n; u64 bumped keys s; u64 ranks that the parts have; BumpedRanks of s; s times u64
/// where the raw record begins in its part's notes; s times u32 part; s times u32 the
/// hashing::Crc32c of the raw record and the rank. Over mapped bytes; bounded on any.
class BumpedTable {
 public:
  /// A bumped key: what the table has of it. The part is one of at most 2^20.
  struct Place {
    std::uint64_t rank = 0;
    std::uint64_t begin = 0;
    std::uint32_t part = 0;
    std::uint32_t check = 0;
  };

  /// Opens the table of n ranks; `notes` are those of each part, by its number. Throws
  /// Error(corrupt).
  BumpedTable(const base::CheckedBytes& section, std::uint64_t n,
              std::vector<base::ByteView> notes);

  /// So many ranks are the parts', the first ones; all others are bumped keys'.
  std::uint64_t part_ranks() const noexcept { return part_ranks_; }
  std::uint64_t count() const noexcept { return ranks_.count(); }
  /// The number of the bumped key that has the rank; count() if none has.
  std::uint64_t find(std::uint64_t rank) const noexcept { return ranks_.find(rank); }
  /// The record of bumped key `number`, which has the rank; false if it is damaged. Allocates
  /// nothing.
  bool read(std::uint64_t number, std::uint64_t rank, std::string_view& key,
            std::string_view& record) const noexcept;

 private:
  hashing::Crc32c check_of_;
  std::vector<base::ByteView> notes_;
  std::uint64_t part_ranks_ = 0;
  BumpedRanks ranks_;
  const std::byte* begins_ = nullptr;
  const std::byte* parts_ = nullptr;
  const std::byte* checks_ = nullptr;
};

}  // namespace crivo::records
