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

namespace {

constexpr std::size_t kEntry = RunPlace::kEntryBytes;
constexpr std::size_t kHalf = kEntry / 2;

std::uint64_t load48(const std::byte* at) noexcept {
  return base::load_le<std::uint32_t>(at) | std::uint64_t{base::load_le<std::uint16_t>(at + 4)}
                                                << 32;
}
void store48(std::byte* at, std::uint64_t value) noexcept {
  base::store_le(at, static_cast<std::uint32_t>(value));
  base::store_le(at + 4, static_cast<std::uint16_t>(value >> 32));
}

std::uint64_t rank_at(base::ByteView page, std::size_t index) noexcept {
  return load48(page.data() + index * kEntry);
}
UpdateEntry entry_at(base::ByteView page, std::size_t index) noexcept {
  return {rank_at(page, index), load48(page.data() + index * kEntry + kHalf)};
}

/// The first entry of a page whose rank is not below.
std::size_t lower_bound(base::ByteView page, std::uint64_t rank) noexcept {
  std::size_t low = 0;
  for (std::size_t high = page.size() / kEntry; low < high;) {
    const std::size_t middle = low + (high - low) / 2;
    if (rank_at(page, middle) < rank) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

base::Bytes encode_run(std::span<const UpdateEntry> entries, RunPlace& place) {
  place.entries = entries.size();
  base::Bytes bytes(place.end() - place.begin);
  std::byte* to = bytes.data();
  for (const UpdateEntry& entry : entries) {
    store48(to, entry.rank);
    store48(to + kHalf, entry.place);
    to += kEntry;
  }
  const std::size_t page_bytes = place.page_entries() * kEntry;
  const std::size_t table = entries.size() * kEntry;
  for (std::size_t at = 0; at < table; at += page_bytes) {
    const std::size_t size = std::min(page_bytes, table - at);
    base::store_le(to, load48(&bytes[at]));
    base::store_le(to + 8, XXH3_64bits(&bytes[at], size));
    to += RunPlace::kRowBytes;
  }
  place.check = XXH3_64bits(&bytes[table], bytes.size() - table);
  return bytes;
}

UpdateRun::UpdateRun(base::ByteView file, const RunPlace& place, std::uint64_t records)
    : place_(place),
      records_(records),
      page_entries_(place.page_entries()),
      pages_(place.pages()),
      states_(pages_) {
  const base::ByteView table = file.subspan(place.table_begin(), place.end() - place.table_begin());
  if (XXH3_64bits(table.data(), table.size()) != place.check) {
    throw Error(ErrorKind::corrupt,
                "damaged: the run at byte " + std::to_string(place.begin) + " is");
  }
}

std::uint64_t UpdateRun::first_rank(base::ByteView file, std::uint64_t page) const noexcept {
  return base::load_le<std::uint64_t>(&file[place_.table_begin() + page * RunPlace::kRowBytes]);
}

std::uint64_t UpdateRun::page_of(base::ByteView file, std::uint64_t rank) const noexcept {
  std::uint64_t low = 0;
  for (std::uint64_t high = pages_; low < high;) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (first_rank(file, middle) <= rank) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low == 0 ? pages_ : low - 1;
}

base::ByteView UpdateRun::page(base::ByteView file, std::uint64_t number) const noexcept {
  const std::uint64_t first = number * page_entries_;
  const std::uint64_t entries = std::min(page_entries_, place_.entries - first);
  const base::ByteView found = file.subspan(place_.begin + first * kEntry, entries * kEntry);
  State state = states_[number].load(std::memory_order_relaxed);
  if (state == unknown) {
    state = is_sound(file, found, number) ? sound : damaged;
    states_[number].store(state, std::memory_order_relaxed);
  }
  return state == sound ? found : base::ByteView{};
}

bool UpdateRun::is_sound(base::ByteView file, base::ByteView page,
                         std::uint64_t number) const noexcept {
  const std::byte* const row = &file[place_.table_begin() + number * RunPlace::kRowBytes];
  if (XXH3_64bits(page.data(), page.size()) != base::load_le<std::uint64_t>(row + 8)) return false;
  std::uint64_t least = base::load_le<std::uint64_t>(row);
  if (rank_at(page, 0) != least) return false;
  for (std::size_t i = 0; i < page.size() / kEntry; ++i) {
    const UpdateEntry entry = entry_at(page, i);
    if (entry.rank < least || (entry.place != 0 && entry.place < kLogFront) ||
        entry.place >= place_.begin) {
      return false;
    }
    least = entry.rank + 1;
  }
  return least <= (number + 1 == pages_ ? records_ : first_rank(file, number + 1));
}

UpdateRun::What UpdateRun::find(base::ByteView file, std::uint64_t rank,
                                UpdateEntry& entry) const noexcept {
  const std::uint64_t number = page_of(file, rank);
  if (number == pages_) return What::nothing;
  const base::ByteView found = page(file, number);
  if (found.empty()) return What::damaged;
  const std::size_t index = lower_bound(found, rank);
  if (index == found.size() / kEntry || rank_at(found, index) != rank) return What::nothing;
  entry = entry_at(found, index);
  return What::entry;
}

bool UpdateRun::visit(base::ByteView file, std::uint64_t begin, std::uint64_t end,
                      const std::function<void(const UpdateEntry&)>& visit) const {
  std::uint64_t number = page_of(file, begin);
  if (number == pages_) number = 0;  // all of them are above
  for (; number < pages_ && first_rank(file, number) < end; ++number) {
    const base::ByteView found = page(file, number);
    if (found.empty()) return false;
    const std::size_t entries = found.size() / kEntry;
    for (std::size_t i = lower_bound(found, begin); i < entries; ++i) {
      const UpdateEntry entry = entry_at(found, i);
      if (entry.rank >= end) return true;
      visit(entry);
    }
  }
  return true;
}

}  // namespace crivo::records
