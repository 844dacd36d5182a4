// SPDX-License-Identifier: Apache-2.0
#include "records/updates/update_snapshot.hpp"

#include <xxhash.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/varint.hpp"
#include "crivo/error.hpp"

namespace crivo::records {

namespace {

/// What has become of a rank.
enum class Fate : std::uint8_t { none, changed, removed };

[[noreturn]] void fail_run(const RunPlace& place) {
  throw Error(ErrorKind::corrupt,
              "damaged: the run at byte " + std::to_string(place.begin) + " is");
}

template <typename Entry>
std::uint64_t entries_in(const std::vector<const Run<Entry>*>& runs) noexcept {
  std::uint64_t entries = 0;
  for (const Run<Entry>* run : runs) entries += run->place().entries;
  return entries;
}

template <typename Entry>
std::vector<Entry> all_of(const Run<Entry>& run, base::ByteView file) {
  std::vector<Entry> entries;
  entries.reserve(run.place().entries);
  const bool is_sound = run.visit(file, {}, [&](const Entry& entry) {
    entries.push_back(entry);
    return true;
  });
  if (!is_sound) fail_run(run.place());
  return entries;
}

/// Which of `bound` numbers marks a hash: ascending with it.
std::uint64_t number_of(const Hash128& hash, std::uint64_t bound) noexcept {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(hash.hi) * bound) >> 64);
}
/// The least hash whose number is not below.
Hash128 first_hash(std::uint64_t number, std::uint64_t bound) noexcept {
  const unsigned __int128 scaled = static_cast<unsigned __int128>(number) << 64;
  return {static_cast<std::uint64_t>((scaled + bound - 1) / bound), 0};
}

}  // namespace

UpdateSnapshot::UpdateSnapshot(std::shared_ptr<const file::MappedFile> mapped, const LogSlot& slot,
                               std::uint64_t records, const UpdateSnapshot* before)
    : mapped_(std::move(mapped)), slot_(slot) {
  const base::ByteView stored = bytes().subspan(slot.record_begin);
  auto record = CommitRecord::decode(stored, slot.record_begin, records);
  if (XXH3_64bits(stored.data(), stored.size()) != slot.record_check || !record ||
      record->commit != slot.commit) {
    throw Error(ErrorKind::corrupt, "damaged: the record of its last commit is");
  }
  record_ = std::move(*record);
  bounds_ = {.sealed = records, .ranks = records + record_.added};
  std::vector<const UpdateRun*> opened;
  runs_ = open_runs(record_.runs, before != nullptr ? &before->runs_ : nullptr, opened);
  take_marks(before, opened);
  std::vector<const AddedRun*> opened_added;
  added_runs_ = open_runs(record_.added_runs, before != nullptr ? &before->added_runs_ : nullptr,
                          opened_added);
  take_added_marks(before, opened_added);
}

template <typename Entry>
std::vector<std::shared_ptr<const Run<Entry>>> UpdateSnapshot::open_runs(
    const std::vector<RunPlace>& places, const std::vector<std::shared_ptr<const Run<Entry>>>* old,
    std::vector<const Run<Entry>*>& opened) const {
  std::vector<std::shared_ptr<const Run<Entry>>> runs;
  for (const RunPlace& place : places) {
    std::shared_ptr<const Run<Entry>> run;
    if (old != nullptr) {
      const auto same =
          std::ranges::find_if(*old, [&](const auto& each) { return each->place() == place; });
      if (same != old->end()) run = *same;
    }
    if (!run) {
      run = std::make_shared<const Run<Entry>>(bytes(), place, bounds_);
      opened.push_back(run.get());
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

void UpdateSnapshot::take_marks(const UpdateSnapshot* before,
                                const std::vector<const UpdateRun*>& opened) {
  if (before == nullptr || entries_in(opened) > kMarkedAtOnce) {
    marks_ = std::make_shared<const Marks>(bounds_.sealed);
    return;
  }
  // Blocks that are ready get what came since; it is harmless to those who look at less.
  bool is_whole = true;
  for (const UpdateRun* run : opened) {
    is_whole &= run->visit(bytes(), 0, [&](const UpdateEntry& entry) {
      if (entry.rank < bounds_.sealed) before->marks_->mark(entry.rank);
      return entry.rank < bounds_.sealed;
    });
  }
  marks_ = is_whole ? before->marks_ : std::make_shared<const Marks>(bounds_.sealed);
}

void UpdateSnapshot::take_added_marks(const UpdateSnapshot* before,
                                      const std::vector<const AddedRun*>& opened) {
  if (record_.added == 0) return;
  const auto anew = [&] {
    return std::make_shared<const Marks>(std::max(Marks::kBlock, 4 * kLeastMarks * record_.added));
  };
  const bool is_kept = before != nullptr && before->added_marks_ != nullptr &&
                       before->added_marks_->bound() / kLeastMarks >= record_.added &&
                       entries_in(opened) <= kMarkedAtOnce;
  if (!is_kept) {
    added_marks_ = anew();
    return;
  }
  const Marks& marks = *before->added_marks_;
  bool is_whole = true;
  for (const AddedRun* run : opened) {
    is_whole &= run->visit(bytes(), {}, [&](const AddedEntry& entry) {
      marks.mark(number_of(entry.hash, marks.bound()));
      return true;
    });
  }
  added_marks_ = is_whole ? before->added_marks_ : anew();
}

void UpdateSnapshot::mark_block(std::uint64_t rank) const {
  const std::uint64_t begin = rank / Marks::kBlock * Marks::kBlock;
  const std::uint64_t end = std::min(begin + Marks::kBlock, bounds_.sealed);
  for (const auto& run : runs_) {
    const bool is_whole = run->visit(bytes(), begin, [&](const UpdateEntry& entry) {
      if (entry.rank < end) marks_->mark(entry.rank);
      return entry.rank < end;
    });
    if (is_whole) continue;
    for (std::uint64_t any = begin; any < end; ++any) marks_->mark(any);
  }
  marks_->make_ready(rank);
}

void UpdateSnapshot::mark_added_block(std::uint64_t number) const {
  const std::uint64_t bound = added_marks_->bound();
  const std::uint64_t begin = number / Marks::kBlock * Marks::kBlock;
  const std::uint64_t end = std::min(begin + Marks::kBlock, bound);
  for (const auto& run : added_runs_) {
    const bool is_whole =
        run->visit(bytes(), first_hash(begin, bound), [&](const AddedEntry& entry) {
          const std::uint64_t own = number_of(entry.hash, bound);
          if (own < end) added_marks_->mark(own);
          return own < end;
        });
    if (is_whole) continue;
    for (std::uint64_t any = begin; any < end; ++any) added_marks_->mark(any);
  }
  added_marks_->make_ready(number);
}

UpdateSnapshot::Found UpdateSnapshot::find(std::uint64_t rank) const noexcept {
  Found found;
  for (const auto& run : runs_) {
    found.what = run->find(bytes(), rank, found.entry);
    if (found.what != Outcome::absent) break;
  }
  if (found.what == Outcome::found && !found.entry.is_removal()) {
    found.unit = unit_at(found.entry.place);
    if (found.unit.empty()) found.what = Outcome::damaged;
  }
  // A key that was added has a record, or a removal.
  if (found.what == Outcome::absent && rank >= bounds_.sealed) found.what = Outcome::damaged;
  return found;
}

Outcome UpdateSnapshot::find_added(const Hash128& hash, std::uint64_t& rank) const {
  if (added_marks_ == nullptr) return Outcome::absent;
  const std::uint64_t number = number_of(hash, added_marks_->bound());
  if (!added_marks_->is_ready(number)) mark_added_block(number);
  if (!added_marks_->is_marked(number)) return Outcome::absent;
  AddedEntry entry;
  for (const auto& run : added_runs_) {
    const Outcome what = run->find(bytes(), hash, entry);
    rank = entry.rank;
    if (what != Outcome::absent) return what;
  }
  return Outcome::absent;
}

base::ByteView UpdateSnapshot::unit_at(std::uint64_t place) const noexcept {
  if (place >= slot_.end) return {};
  base::ByteView rest = bytes().subspan(place);
  std::uint32_t size = 0;
  if (!base::take_varint(rest, size) || size > rest.size()) return {};
  return rest.first(size);
}

std::vector<UpdateEntry> UpdateSnapshot::entries_of(std::size_t run) const {
  return all_of(*runs_[run], bytes());
}
std::vector<AddedEntry> UpdateSnapshot::added_entries_of(std::size_t run) const {
  return all_of(*added_runs_[run], bytes());
}

void UpdateSnapshot::check_runs() const {
  std::uint64_t entries = 0;
  std::uint64_t removed = 0;
  std::uint64_t added = 0;
  std::uint64_t added_removed = 0;
  // As the marks are, in blocks of ranks, so that memory is bounded; the newest run comes last.
  std::vector<Fate> fates(Marks::kBlock);
  for (std::uint64_t begin = 0; begin < bounds_.ranks && !runs_.empty(); begin += Marks::kBlock) {
    const std::uint64_t end = std::min(begin + Marks::kBlock, bounds_.ranks);
    std::ranges::fill(fates, Fate::none);
    for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
      if (!(*run)->visit(bytes(), begin, [&](const UpdateEntry& entry) {
            if (entry.rank >= end) return false;
            fates[entry.rank - begin] = entry.is_removal() ? Fate::removed : Fate::changed;
            return true;
          })) {
        fail_run((*run)->place());
      }
    }
    for (std::uint64_t rank = std::max(begin, bounds_.sealed); rank < end; ++rank) {
      added += fates[rank - begin] != Fate::none ? 1 : 0;
      added_removed += fates[rank - begin] == Fate::removed ? 1 : 0;
    }
    removed += static_cast<std::uint64_t>(std::ranges::count(fates, Fate::removed));
    entries += fates.size() - static_cast<std::uint64_t>(std::ranges::count(fates, Fate::none));
  }
  if (entries != record_.entries || removed != record_.removed || added != record_.added ||
      added_removed != record_.added_removed) {
    throw Error(ErrorKind::corrupt, "damaged: its entries are not those of its last commit");
  }
  check_added();
}

void UpdateSnapshot::check_added() const {
  std::vector<bool> has_key(record_.added);
  std::uint64_t keys = 0;
  for (const auto& run : added_runs_) {
    if (!run->visit(bytes(), {}, [&](const AddedEntry& entry) {
          keys += has_key[entry.rank - bounds_.sealed] ? 0 : 1;
          has_key[entry.rank - bounds_.sealed] = true;
          return true;
        })) {
      fail_run(run->place());
    }
  }
  if (keys != record_.added) {
    throw Error(ErrorKind::corrupt, "damaged: its added keys are not those of its last commit");
  }
}

}  // namespace crivo::records
