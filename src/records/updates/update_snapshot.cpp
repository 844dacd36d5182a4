// SPDX-License-Identifier: Apache-2.0
#include "records/updates/update_snapshot.hpp"

#include <xxhash.h>

#include <algorithm>
#include <concepts>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "crivo/error.hpp"

namespace crivo::records {

namespace {

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

/// Which of `bound` numbers marks an entry: ascending with its key. That of an added key's rank,
/// which needs no mark, is not below.
std::uint64_t number_of(const UpdateEntry::Key& rank, std::uint64_t /*bound*/) noexcept {
  return rank;
}
std::uint64_t number_of(const AddedEntry::Key& hash, std::uint64_t bound) noexcept {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(hash.hi) * bound) >> 64);
}
/// The bits of the number's word that mark it. Of an added key three, as a search in all runs of
/// what none of them has takes far longer than the look at a word.
std::uint64_t mask_of(const UpdateEntry::Key& /*rank*/, std::uint64_t number) noexcept {
  return Marks::mask_of(number);
}
std::uint64_t mask_of(const AddedEntry::Key& hash, std::uint64_t number) noexcept {
  return Marks::mask_of(number) | Marks::mask_of(hash.lo) | Marks::mask_of(hash.lo >> 6);
}
/// The least key whose number is not below.
template <typename Entry>
typename Entry::Key first_key(std::uint64_t number, std::uint64_t bound) noexcept {
  if constexpr (std::same_as<Entry, UpdateEntry>) {
    return number;
  } else {
    const unsigned __int128 scaled = static_cast<unsigned __int128>(number) << 64;
    return {static_cast<std::uint64_t>((scaled + bound - 1) / bound), 0};
  }
}

/// Marks what the run has of numbers from `begin` to before `end`; false where its table is
/// damaged, or a page that may hold some.
template <typename Entry>
bool mark(const Run<Entry>& run, base::ByteView file, const Marks& marks, std::uint64_t begin,
          std::uint64_t end) {
  const auto first = run.first_key(file);
  if (!first) return false;
  if (number_of(*first, marks.bound()) >= end) return true;  // no page of it is read
  return run.visit(file, first_key<Entry>(begin, marks.bound()), [&](const Entry& entry) {
    const std::uint64_t number = number_of(entry.key(), marks.bound());
    if (number < end) marks.mark(number, mask_of(entry.key(), number));
    return number < end;
  });
}

}  // namespace

UpdateSnapshot::UpdateSnapshot(std::shared_ptr<const file::MappedFile> mapped, const LogSlot& slot,
                               std::uint64_t records, const UpdateSnapshot* before,
                               std::uint64_t marked_now)
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
  marks_ =
      marks_with(before != nullptr ? before->marks_ : nullptr, opened, bounds_.sealed, marked_now);
  std::vector<const AddedRun*> opened_added;
  added_runs_ = open_runs(record_.added_runs, before != nullptr ? &before->added_runs_ : nullptr,
                          opened_added);
  if (record_.added == 0) return;
  const bool has_room = before != nullptr && before->added_marks_ &&
                        before->added_marks_->bound() / kLeastMarks >= record_.added;
  added_marks_ = marks_with(has_room ? before->added_marks_ : nullptr, opened_added,
                            std::max(Marks::kBlock, 4 * kLeastMarks * record_.added), marked_now);
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
      run = std::make_shared<const Run<Entry>>(place, bounds_);
      opened.push_back(run.get());
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

template <typename Entry>
std::shared_ptr<const Marks> UpdateSnapshot::marks_with(
    const std::shared_ptr<const Marks>& before, const std::vector<const Run<Entry>*>& opened,
    std::uint64_t bound, std::uint64_t marked_now) const {
  // Blocks that are ready get what came since; it is harmless to those who look at less.
  const auto takes = [&](const Run<Entry>* run) {
    return mark(*run, bytes(), *before, 0, before->bound());
  };
  const bool is_kept =
      before && entries_in(opened) <= marked_now && std::ranges::all_of(opened, takes);
  return is_kept ? before : std::make_shared<const Marks>(bound);
}

template <typename Entry>
bool UpdateSnapshot::is_marked(const Marks& marks,
                               const std::vector<std::shared_ptr<const Run<Entry>>>& runs,
                               const typename Entry::Key& key) const {
  const std::uint64_t number = number_of(key, marks.bound());
  const std::uint64_t mask = mask_of(key, number);
  if (marks.is_ready(number)) [[likely]]
    return marks.is_marked(number, mask);
  const std::uint64_t begin = number / Marks::kBlock * Marks::kBlock;
  const std::uint64_t end = std::min(begin + Marks::kBlock, marks.bound());
  for (const auto& run : runs)
    if (!mark(*run, bytes(), marks, begin, end)) marks.mark_block(number);
  marks.make_ready(number);
  return marks.is_marked(number, mask);
}

bool UpdateSnapshot::may_hold_sealed(std::uint64_t rank) const {
  return is_marked(*marks_, runs_, rank);
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
  if (!is_marked(*added_marks_, added_runs_, hash)) return Outcome::absent;
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

std::uint64_t UpdateSnapshot::value_bytes(std::uint64_t place) const noexcept {
  const base::ByteView unit = unit_at(place);
  return unit.empty() ? 0
                      : base::varint_size(static_cast<std::uint32_t>(unit.size())) + unit.size();
}

std::vector<UpdateEntry> UpdateSnapshot::entries_of(std::size_t run) const {
  return all_of(*runs_[run], bytes());
}
std::vector<AddedEntry> UpdateSnapshot::added_entries_of(std::size_t run) const {
  return all_of(*added_runs_[run], bytes());
}

void UpdateSnapshot::visit_updates(
    const std::function<void(const UpdateEntry& entry)>& visit) const {
  // As the marks are, in blocks of ranks, so that memory is bounded; the newest run comes last.
  constexpr std::uint64_t kNone = UINT64_MAX;
  std::vector<std::uint64_t> places(Marks::kBlock);
  for (std::uint64_t begin = 0; begin < bounds_.ranks && !runs_.empty(); begin += Marks::kBlock) {
    const std::uint64_t end = std::min(begin + Marks::kBlock, bounds_.ranks);
    std::ranges::fill(places, kNone);
    for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
      if (!(*run)->visit(bytes(), begin, [&](const UpdateEntry& entry) {
            if (entry.rank >= end) return false;
            places[entry.rank - begin] = entry.place;
            return true;
          })) {
        fail_run((*run)->place());
      }
    }
    for (std::uint64_t rank = begin; rank < end; ++rank) {
      if (places[rank - begin] != kNone) visit({rank, places[rank - begin]});
    }
  }
}

void UpdateSnapshot::check_runs() const {
  CommitRecord counted;
  bool is_sound = true;
  visit_updates([&](const UpdateEntry& entry) {
    const bool is_added = entry.rank >= bounds_.sealed;
    const std::uint64_t bytes = entry.is_removal() ? 0 : value_bytes(entry.place);
    is_sound = is_sound && (entry.is_removal() || bytes != 0);
    counted.entries += 1;
    counted.removed += entry.is_removal() ? 1 : 0;
    counted.added += is_added ? 1 : 0;
    counted.added_removed += is_added && entry.is_removal() ? 1 : 0;
    counted.value_bytes += bytes;
  });
  if (!is_sound || counted.entries != record_.entries || counted.removed != record_.removed ||
      counted.added != record_.added || counted.added_removed != record_.added_removed ||
      counted.value_bytes != record_.value_bytes) {
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
