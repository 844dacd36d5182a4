// SPDX-License-Identifier: Apache-2.0
/// Lookups in one run of a log of updates.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "records/updates/update_log.hpp"

namespace crivo::records {

/// An update of a rank: the place of its value in the log; 0 where the record was removed.
struct UpdateEntry {
  std::uint64_t rank = 0;
  std::uint64_t place = 0;

  bool is_removal() const noexcept { return place == 0; }
};

/// The entries as a run's bytes, table and all, as `place` (whose begin is set) describes them:
/// that is given its check. `entries` are in the order of ranks, and not empty.
base::Bytes encode_run(std::span<const UpdateEntry> entries, RunPlace& place);

/// A run, for any number of threads. The table is checked when it is opened, a page when it is
/// first looked at: its check, that ranks ascend and are those of its row, and that places lie
/// before the run. Bytes that change afterwards lead to other answers, never out of the file.
class UpdateRun {
 public:
  /// In `file`, the whole log, where the run lies; of a store of so many records. Throws
  /// Error(corrupt). Cost: a read of the table, 64 KiB at most.
  UpdateRun(base::ByteView file, const RunPlace& place, std::uint64_t records);

  const RunPlace& place() const noexcept { return place_; }

  enum class What { nothing, entry, damaged };
  What find(base::ByteView file, std::uint64_t rank, UpdateEntry& entry) const noexcept;
  /// Calls visit() with the entries of ranks from `begin` to before `end`, in order; false if a
  /// page is damaged that may hold some.
  bool visit(base::ByteView file, std::uint64_t begin, std::uint64_t end,
             const std::function<void(const UpdateEntry&)>& visit) const;

 private:
  enum State : std::uint8_t { unknown, sound, damaged };

  std::uint64_t first_rank(base::ByteView file, std::uint64_t page) const noexcept;
  /// The last page whose first rank is not above; pages() where there is none.
  std::uint64_t page_of(base::ByteView file, std::uint64_t rank) const noexcept;
  /// Empty where the page is damaged.
  base::ByteView page(base::ByteView file, std::uint64_t number) const noexcept;
  bool is_sound(base::ByteView file, base::ByteView page, std::uint64_t number) const noexcept;

  RunPlace place_;
  std::uint64_t records_;
  std::uint64_t page_entries_;
  std::uint64_t pages_;
  mutable std::vector<std::atomic<State>> states_;
};

}  // namespace crivo::records
