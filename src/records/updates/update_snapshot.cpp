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

}  // namespace

UpdateSnapshot::UpdateSnapshot(std::shared_ptr<const file::MappedFile> mapped, const LogSlot& slot,
                               std::uint64_t records, const UpdateSnapshot* before)
    : mapped_(std::move(mapped)), slot_(slot), records_(records) {
  const base::ByteView whole = bytes();
  const base::ByteView stored = whole.subspan(slot.record_begin);
  auto record = CommitRecord::decode(stored, slot.record_begin, records);
  if (XXH3_64bits(stored.data(), stored.size()) != slot.record_check || !record ||
      record->commit != slot.commit) {
    throw Error(ErrorKind::corrupt, "damaged: the record of its last commit is");
  }
  record_ = std::move(*record);
  std::vector<const UpdateRun*> added;
  for (const RunPlace& place : record_.runs) {
    std::shared_ptr<const UpdateRun> run;
    if (before != nullptr) {
      const auto same = std::ranges::find_if(
          before->runs_, [&](const auto& old) { return old->place() == place; });
      if (same != before->runs_.end()) run = *same;
    }
    if (!run) {
      run = std::make_shared<const UpdateRun>(whole, place, records);
      added.push_back(run.get());
    }
    runs_.push_back(std::move(run));
  }
  take_marks(before, added);
}

void UpdateSnapshot::take_marks(const UpdateSnapshot* before,
                                const std::vector<const UpdateRun*>& added) {
  std::uint64_t entries = 0;
  for (const UpdateRun* run : added) entries += run->place().entries;
  if (before == nullptr || entries > kMarkedAtOnce) {
    marks_ = std::make_shared<const RankMarks>(records_);
    return;
  }
  // Blocks that are ready get what came since; it is harmless to those who look at less.
  bool is_whole = true;
  for (const UpdateRun* run : added) {
    is_whole &= run->visit(bytes(), 0, records_,
                           [&](const UpdateEntry& entry) { before->marks_->mark(entry.rank); });
  }
  marks_ = is_whole ? before->marks_ : std::make_shared<const RankMarks>(records_);
}

void UpdateSnapshot::mark_block(std::uint64_t rank) const {
  const std::uint64_t begin = rank / RankMarks::kBlock * RankMarks::kBlock;
  const std::uint64_t end = std::min(begin + RankMarks::kBlock, records_);
  for (const auto& run : runs_) {
    const bool is_whole = run->visit(bytes(), begin, end,
                                     [&](const UpdateEntry& entry) { marks_->mark(entry.rank); });
    if (is_whole) continue;
    for (std::uint64_t any = begin; any < end; ++any) marks_->mark(any);
  }
  marks_->make_ready(rank);
}

UpdateSnapshot::Found UpdateSnapshot::find(std::uint64_t rank) const noexcept {
  Found found;
  for (const auto& run : runs_) {
    found.what = run->find(bytes(), rank, found.entry);
    if (found.what != UpdateRun::What::nothing) break;
  }
  if (found.what == UpdateRun::What::entry && !found.entry.is_removal()) {
    found.unit = unit_at(found.entry.place);
    if (found.unit.empty()) found.what = UpdateRun::What::damaged;
  }
  return found;
}

base::ByteView UpdateSnapshot::unit_at(std::uint64_t place) const noexcept {
  if (place >= slot_.end) return {};
  base::ByteView rest = bytes().subspan(place);
  std::uint32_t size = 0;
  if (!base::take_varint(rest, size) || size > rest.size()) return {};
  return rest.first(size);
}

std::vector<UpdateEntry> UpdateSnapshot::entries_of(std::size_t run) const {
  std::vector<UpdateEntry> entries;
  entries.reserve(record_.runs[run].entries);
  if (!runs_[run]->visit(bytes(), 0, records_,
                         [&](const UpdateEntry& entry) { entries.push_back(entry); })) {
    throw Error(ErrorKind::corrupt,
                "damaged: the run at byte " + std::to_string(record_.runs[run].begin) + " is");
  }
  return entries;
}

void UpdateSnapshot::check_runs() const {
  std::uint64_t entries = 0;
  std::uint64_t removed = 0;
  // As the marks are, in blocks of ranks, so that memory is bounded; the newest run comes last.
  std::vector<Fate> fates(RankMarks::kBlock);
  for (std::uint64_t begin = 0; begin < records_ && !runs_.empty(); begin += RankMarks::kBlock) {
    const std::uint64_t end = std::min(begin + RankMarks::kBlock, records_);
    std::ranges::fill(fates, Fate::none);
    for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
      if (!(*run)->visit(bytes(), begin, end, [&](const UpdateEntry& entry) {
            fates[entry.rank - begin] = entry.is_removal() ? Fate::removed : Fate::changed;
          })) {
        throw Error(ErrorKind::corrupt,
                    "damaged: the run at byte " + std::to_string((*run)->place().begin) + " is");
      }
    }
    removed += static_cast<std::uint64_t>(std::ranges::count(fates, Fate::removed));
    entries += fates.size() - static_cast<std::uint64_t>(std::ranges::count(fates, Fate::none));
  }
  if (entries != record_.entries || removed != record_.removed) {
    throw Error(ErrorKind::corrupt, "damaged: its entries are not those of its last commit");
  }
}

}  // namespace crivo::records
