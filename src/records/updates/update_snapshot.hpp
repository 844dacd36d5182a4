// SPDX-License-Identifier: Apache-2.0
/// The updates of a store as of one commit.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "file/mapped_file.hpp"
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

/// For any number of threads. Bits are only ever set. Memory: a bit a rank, as it is touched.
class RankMarks {
 public:
  static constexpr std::uint64_t kBlock = 4096;

  /// Throws std::bad_alloc.
  explicit RankMarks(std::uint64_t ranks)
      : ready_(zeros(base::div_ceil(ranks, kBlock * kWord))),
        bits_(zeros(base::div_ceil(ranks, kWord))) {}

  /// Whether all marks of the rank's block are set.
  bool is_ready(std::uint64_t rank) const noexcept {
    return is_set(ready_, rank / kBlock, std::memory_order_acquire);
  }
  void make_ready(std::uint64_t rank) const noexcept {
    set_bit(ready_, rank / kBlock, std::memory_order_release);
  }
  bool is_marked(std::uint64_t rank) const noexcept {
    return is_set(bits_, rank, std::memory_order_relaxed);
  }
  void mark(std::uint64_t rank) const noexcept { set_bit(bits_, rank, std::memory_order_relaxed); }

 private:
  using Word = std::uint64_t;
  static constexpr std::uint64_t kWord = 64;
  struct Free {
    void operator()(Word* words) const noexcept { std::free(words); }
  };
  using Words = std::unique_ptr<Word[], Free>;

  /// Of calloc(), which takes pages that are zero from the system and touches none.
  static Words zeros(std::uint64_t words) {
    Words made(static_cast<Word*>(std::calloc(words + 1, sizeof(Word))));
    if (!made) throw std::bad_alloc();
    return made;
  }
  static bool is_set(const Words& words, std::uint64_t bit, std::memory_order order) noexcept {
    return (std::atomic_ref(words[bit / kWord]).load(order) >> bit % kWord & 1) != 0;
  }
  static void set_bit(const Words& words, std::uint64_t bit, std::memory_order order) noexcept {
    std::atomic_ref(words[bit / kWord]).fetch_or(Word{1} << bit % kWord, order);
  }

  Words ready_;
  Words bits_;
};

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
