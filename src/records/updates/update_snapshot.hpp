// SPDX-License-Identifier: Apache-2.0
/// The updates of a store as of one commit.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "file/mapped_file.hpp"
#include "records/updates/update_log.hpp"
#include "records/updates/update_run.hpp"

namespace crivo::records {

/// Numbers below a bound of which something may be known: ranks with an update, a bit each, or what
/// comes of the hashes of added keys, some bits of a word. For any number of threads. Bits are only
/// ever set. Memory: a bit a number, as it is touched.
class Marks {
 public:
  static constexpr std::uint64_t kBlock = 4096;

  /// Throws std::bad_alloc.
  explicit Marks(std::uint64_t bound)
      : bound_(bound),
        ready_(zeros(base::div_ceil(bound, kBlock * kWord))),
        bits_(zeros(base::div_ceil(bound, kWord))) {}

  std::uint64_t bound() const noexcept { return bound_; }
  /// Whether all marks of the number's block are set.
  bool is_ready(std::uint64_t number) const noexcept {
    const std::uint64_t block = number / kBlock;
    return (std::atomic_ref(ready_[block / kWord]).load(std::memory_order_acquire) &
            mask_of(block)) != 0;
  }
  void make_ready(std::uint64_t number) const noexcept {
    const std::uint64_t block = number / kBlock;
    std::atomic_ref(ready_[block / kWord]).fetch_or(mask_of(block), std::memory_order_release);
  }
  /// Whether the number's word has all of some bits; mask_of() makes those that stand for a number.
  bool is_marked(std::uint64_t number, std::uint64_t mask) const noexcept {
    return (std::atomic_ref(bits_[number / kWord]).load(std::memory_order_relaxed) & mask) == mask;
  }
  void mark(std::uint64_t number, std::uint64_t mask) const noexcept {
    std::atomic_ref(bits_[number / kWord]).fetch_or(mask, std::memory_order_relaxed);
  }
  /// Marks all that may stand for a number of the block.
  void mark_block(std::uint64_t number) const noexcept {
    const std::uint64_t begin = number / kBlock * kBlock;
    const std::uint64_t end = std::min(begin + kBlock, bound_);
    for (std::uint64_t word = begin; word < end; word += kWord) mark(word, ~Word{0});
  }
  static constexpr std::uint64_t mask_of(std::uint64_t number) noexcept {
    return std::uint64_t{1} << number % kWord;
  }

 private:
  using Word = std::uint64_t;
  static constexpr std::uint64_t kWord = 64;
  struct Free {
    void operator()(Word* words) const noexcept { std::free(words); }
  };
  using Words = std::unique_ptr<Word[], Free>;

  /// Words of calloc(), which takes pages that are zero from the system and touches none.
  static Words zeros(std::uint64_t words) {
    Words made(static_cast<Word*>(std::calloc(words + 1, sizeof(Word))));
    if (!made) throw std::bad_alloc();
    return made;
  }
  std::uint64_t bound_;
  Words ready_;
  Words bits_;
};

/// Immutable, for any number of threads: a log is only appended to.
class UpdateSnapshot {
 public:
  static constexpr std::uint64_t kMarkedNow = 4096;

  /// Opens the commit that `slot` names, in a log that is mapped at least to its end, of a store of
  /// so many records. `before`, which may be null, is an earlier one of the same log, whose runs
  /// are not checked again. So many new entries are marked now; with more the marks begin anew, and
  /// are made as they are asked for. Throws Error(corrupt). Cost: a read of the record.
  UpdateSnapshot(std::shared_ptr<const file::MappedFile> mapped, const LogSlot& slot,
                 std::uint64_t records, const UpdateSnapshot* before,
                 std::uint64_t marked_now = kMarkedNow);

  const LogSlot& slot() const noexcept { return slot_; }
  const CommitRecord& record() const noexcept { return record_; }
  const std::shared_ptr<const file::MappedFile>& mapped() const noexcept { return mapped_; }

  /// The ranks of the build, and with those of added keys.
  const RunBounds& bounds() const noexcept { return bounds_; }

  /// Whether there may be an update of a rank: surely where find() finds one. Amortized a look at
  /// one bit.
  bool may_hold(std::uint64_t rank) const {
    if (rank >= bounds_.sealed) return true;
    return marks_->is_ready(rank) ? marks_->is_marked(rank, Marks::mask_of(rank))
                                  : may_hold_sealed(rank);
  }

  struct Found {
    Outcome what = Outcome::absent;
    UpdateEntry entry;
    base::ByteView unit{};  ///< of an entry that is no removal
  };
  /// The newest update of the rank. A search in each run up to that which has it.
  Found find(std::uint64_t rank) const noexcept;

  /// Finds the rank of a key that was added, by its hash. Amortized a look at one word, where there
  /// is none; else a search in each run up to that which has it.
  Outcome find_added(const Hash128& hash, std::uint64_t& rank) const;

  /// The entries of a run, for another that takes its place. Throws Error(corrupt).
  std::vector<UpdateEntry> entries_of(std::size_t run) const;
  std::vector<AddedEntry> added_entries_of(std::size_t run) const;
  /// Calls `visit` with the update of each rank that has one, in order. Throws the same.
  void visit_updates(const std::function<void(const UpdateEntry& entry)>& visit) const;
  /// Checks every page, and that there are as many entries as the record says. Throws the same.
  void check_runs() const;

 private:
  /// Bits of the marks for each added key: at least so many, and at first four times that.
  static constexpr std::uint64_t kLeastMarks = 16;

  base::ByteView bytes() const noexcept { return mapped_->bytes().first(slot_.end); }
  /// The runs at `places`, of which those that `old` has are not opened again: `opened` are new.
  template <typename Entry>
  std::vector<std::shared_ptr<const Run<Entry>>> open_runs(
      const std::vector<RunPlace>& places,
      const std::vector<std::shared_ptr<const Run<Entry>>>* old,
      std::vector<const Run<Entry>*>& opened) const;
  /// The marks of `before`, which may be null, with those of the runs that were opened; new ones,
  /// below `bound`, where they are too many or one is damaged.
  template <typename Entry>
  std::shared_ptr<const Marks> marks_with(const std::shared_ptr<const Marks>& before,
                                          const std::vector<const Run<Entry>*>& opened,
                                          std::uint64_t bound, std::uint64_t marked_now) const;
  /// Makes the block of the key's marks ready first.
  template <typename Entry>
  bool is_marked(const Marks& marks, const std::vector<std::shared_ptr<const Run<Entry>>>& runs,
                 const typename Entry::Key& key) const;
  bool may_hold_sealed(std::uint64_t rank) const;
  void check_added() const;
  /// The bytes of the value at a place; 0 where it would leave the file.
  std::uint64_t value_bytes(std::uint64_t place) const noexcept;
  /// The unit at a place; nothing where it would leave the file.
  base::ByteView unit_at(std::uint64_t place) const noexcept;

  std::shared_ptr<const file::MappedFile> mapped_;
  LogSlot slot_;
  CommitRecord record_;
  RunBounds bounds_;
  std::vector<std::shared_ptr<const UpdateRun>> runs_;       ///< newest first
  std::vector<std::shared_ptr<const AddedRun>> added_runs_;  ///< likewise
  std::shared_ptr<const Marks> marks_;
  std::shared_ptr<const Marks> added_marks_;  ///< null while no key was added
};

}  // namespace crivo::records
