// SPDX-License-Identifier: Apache-2.0
/// The updates of a store as of one commit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/bytes.hpp"
#include "file/mapped_file.hpp"
#include "records/updates/rank_marks.hpp"
#include "records/updates/update_run.hpp"

namespace crivo::records {

/// Immutable, for any number of threads: a log is only appended to.
class UpdateSnapshot {
 public:
  /// Of the commit that `slot` names, in a log that is mapped at least to its end, of a store of so
  /// many records. `before`, which may be null, is an earlier one of the same log, whose runs are
  /// not checked again. Throws Error(corrupt). Cost: a read of the record and of the tables of
  /// runs that `before` does not have, 64 KiB at most each.
  UpdateSnapshot(std::shared_ptr<const file::MappedFile> mapped, const LogSlot& slot,
                 std::uint64_t records, const UpdateSnapshot* before);

  const LogSlot& slot() const noexcept { return slot_; }
  const CommitRecord& record() const noexcept { return record_; }
  const std::shared_ptr<const file::MappedFile>& mapped() const noexcept { return mapped_; }

  /// Whether there may be an update of a rank below that of all records: surely where find() finds
  /// one. Amortized a look at one bit.
  bool may_hold(std::uint64_t rank) const {
    if (!marks_->is_ready(rank)) mark_block(rank);
    return marks_->is_marked(rank);
  }

  struct Found {
    UpdateRun::What what = UpdateRun::What::nothing;
    UpdateEntry entry;
    base::ByteView unit{};  ///< of an entry that is no removal
  };
  /// The newest update of the rank. A search in each run up to that which has it.
  Found find(std::uint64_t rank) const noexcept;

  /// The entries of a run, for another that takes its place. Throws Error(corrupt).
  std::vector<UpdateEntry> entries_of(std::size_t run) const;
  /// Checks every page, and that there are as many entries as the record says. Throws the same.
  void check_runs() const;

 private:
  /// So many new entries are marked when a snapshot is made; with more the marks begin anew.
  static constexpr std::uint64_t kMarkedAtOnce = 4096;

  base::ByteView bytes() const noexcept { return mapped_->bytes().first(slot_.end); }
  void mark_block(std::uint64_t rank) const;
  void take_marks(const UpdateSnapshot* before, const std::vector<const UpdateRun*>& added);
  /// The unit at a place; nothing where it would leave the file.
  base::ByteView unit_at(std::uint64_t place) const noexcept;

  std::shared_ptr<const file::MappedFile> mapped_;
  LogSlot slot_;
  std::uint64_t records_;
  CommitRecord record_;
  std::vector<std::shared_ptr<const UpdateRun>> runs_;  ///< newest first
  std::shared_ptr<const RankMarks> marks_;
};

}  // namespace crivo::records
