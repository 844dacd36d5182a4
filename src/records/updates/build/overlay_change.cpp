// SPDX-License-Identifier: Apache-2.0
/// A writer of updates puts a commit behind the last.

#include "records/updates/build/overlay_change.hpp"

#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "crivo/error.hpp"
#include "records/block.hpp"
#include "records/limits.hpp"
#include "records/updates/update_log.hpp"

namespace crivo::records {

namespace {

/// So many runs of a level are merged into one, of the next level at most: floor(log4(entries)).
/// Each entry is written once a level, and there are at most 3 runs of each between longer ones.
constexpr std::size_t kMergedRuns = 4;

unsigned level_of(std::uint64_t entries) noexcept {
  return static_cast<unsigned>(std::bit_width(entries) - 1) / 2;
}

/// Appends a run of the new `entries` and of those of the runs that are merged with them, from the
/// newest on, of a key that several have the newer one: no more than `most_entries`, unless there
/// would be too many runs. `entries_of(i)` has those of run i. The runs that there are then; the
/// same if there are no new entries.
template <typename Entry, typename EntriesOf>
std::vector<RunPlace> append_run(std::vector<Entry> entries, const std::vector<RunPlace>& runs,
                                 const EntriesOf& entries_of, std::uint64_t most_entries,
                                 LogAppender& appender) {
  if (entries.empty()) return runs;
  std::ranges::sort(entries, {}, &Entry::key);
  std::size_t merged = 0;
  const bool takes_all = runs.size() == CommitRecord::kMostRuns;
  for (std::size_t next = merged;; next = merged) {
    std::uint64_t all = entries.size();
    for (; next < runs.size(); ++next) {
      all += runs[next].entries;
      const bool is_near = level_of(runs[next].entries) <= level_of(entries.size());
      if (!takes_all && (!is_near || all > most_entries)) break;
    }
    if (next - merged + 1 < kMergedRuns) break;
    for (; merged < next; ++merged) {
      const std::vector<Entry> older = entries_of(merged);
      std::vector<Entry> both;
      both.reserve(entries.size() + older.size());
      std::ranges::set_union(entries, older, std::back_inserter(both), {}, &Entry::key,
                             &Entry::key);
      entries = std::move(both);
    }
  }
  RunPlace place{.begin = appender.place()};
  appender.append(encode_run(std::span<const Entry>(entries), place));
  std::vector<RunPlace> now{place};
  now.insert(now.end(), runs.begin() + static_cast<std::ptrdiff_t>(merged), runs.end());
  return now;
}

std::uint64_t value_size(base::ByteView unit) noexcept {
  return base::varint_size(static_cast<std::uint32_t>(unit.size())) + unit.size();
}

std::uint64_t check_of(std::string_view key) noexcept {
  constexpr std::uint64_t kSeed = 0xa0761d6478bd642f;  // other than any that hashes ranks
  return XXH3_64bits_withSeed(key.data(), key.size(), kSeed);
}

}  // namespace

std::shared_ptr<const UpdateSnapshot> Overlay::adopt_last_commit(const base::FileDescriptor& log) {
  const std::scoped_lock lock(mutex_);
  load([] { return true; });
  const LogSlot& slot = snapshot_->slot();
  std::uint64_t named_commit = 0;
  named([&] { named_commit = read_slots(file_, content_id_).slot.commit; });
  if (named_commit == slot.commit) return snapshot_;
  if (::fdatasync(log.get()) != 0) {
    base::throw_file_error(path_.string(), "cannot write", errno);
  }
  write_in(log, path_, LogSlot::place(slot.commit), slot.encode());
  return snapshot_;
}

Overlay::Change::Change(std::shared_ptr<Overlay> overlay, const RecordFile& sealed,
                        const base::FileDescriptor& log, std::uint64_t memory_bytes)
    : overlay_(std::move(overlay)),
      sealed_records_(sealed),
      log_(log),
      most_entries_(std::max<std::uint64_t>(memory_bytes / kEntryMemory, 1)),
      before_(overlay_->adopt_last_commit(log)),
      spilled_(before_),
      appender_(log, overlay_->path_, before_->slot().end),
      by_record_(sealed.codec().type().by_record),
      codec_(CodecSection::decode(sealed.codec().section())),
      encoding_(builder_of(codec_.codec).open(codec_.dictionary, Effort::usual)),
      none_(builder_of(CodecId::none).open({}, Effort::usual)),
      writer_(*encoding_),
      raw_writer_(*none_),
      view_(before_, sealed),
      sealed_(before_->bounds().sealed),
      entries_(before_->record().entries),
      removed_(before_->record().removed),
      added_(before_->record().added),
      added_removed_(before_->record().added_removed),
      value_bytes_(before_->record().value_bytes) {
  // Bytes that were never committed, or failed to be, are no one's.
  if (log_.size() != before_->slot().end &&
      ::ftruncate(log_.get(), static_cast<off_t>(before_->slot().end)) != 0) {
    base::throw_file_error(overlay_->path_.string(), "cannot write", errno);
  }
}

Overlay::Change::~Change() {
  if (!is_over_) roll_back();
}

bool Overlay::Change::roll_back() noexcept {
  is_over_ = true;
  // Where that fails, the next writer does it; a reader takes none of it while there is a writer.
  return ::ftruncate(log_.get(), static_cast<off_t>(before_->slot().end)) == 0;
}

Overlay::Change::Was Overlay::Change::was(std::uint64_t rank) const {
  const auto of = [](bool is_removed, std::uint64_t bytes) {
    return Was{is_removed ? Fate::removed : Fate::changed, bytes};
  };
  if (const auto own = values_.find(rank); own != values_.end())
    return of(own->second.place == 0, own->second.bytes);
  if (rank >= spilled_->bounds().ranks) return {};  // is added now
  const UpdateSnapshot::Found found = spilled_->find(rank);
  if (found.what == Outcome::damaged) fail_damaged(rank);
  if (found.what == Outcome::absent) return {};
  return of(found.entry.is_removal(), found.entry.is_removal() ? 0 : value_size(found.unit));
}

void Overlay::Change::fail_damaged(std::uint64_t rank) const {
  overlay_->fail_damaged("damaged: what it has of rank " + std::to_string(rank) + " is");
}

void fail_alike(std::string_view key, const std::string& other) {
  throw Error(ErrorKind::bad_input,
              "the key " + quote(key) + " and " + other +
                  " have the same hash, so a store of this seed cannot hold both; build it again "
                  "under a random seed");
}

bool Overlay::Change::find_added(const Hash128& hash, std::string_view key, std::uint64_t& rank) {
  if (const auto own = new_keys_.find(hash); own != new_keys_.end()) {
    rank = own->second.rank;
    if (own->second.check != check_of(key))
      fail_alike(key, "that of the record of number " + std::to_string(own->second.number));
    return true;
  }
  const Outcome outcome = spilled_->find_added(hash, rank);
  if (outcome == Outcome::damaged)
    overlay_->fail_damaged("damaged: what it has of a key's hash is");
  if (outcome == Outcome::absent) return false;
  std::string_view stored;
  std::string_view record;
  const View::Fate fate = view_.added(rank, stored, record);
  if (fate == View::Fate::damaged) fail_damaged(rank);
  if (fate == View::Fate::changed && stored != key) fail_alike(key, quote(stored));
  return true;
}

std::uint64_t Overlay::Change::add(const Hash128& hash, std::string_view key,
                                   std::uint64_t number) {
  const std::uint64_t rank = sealed_ + added_;
  if (rank >= CommitRecord::kMostRanks)
    throw Error(ErrorKind::bad_input, "the store has as many keys as it can have");
  new_keys_.emplace(hash, Added{rank, check_of(key), number});
  ++added_;
  return rank;
}

Overlay::Change::Now Overlay::Change::compare(std::uint64_t rank, std::string_view key,
                                              std::string_view record) noexcept {
  if (values_.contains(rank)) return Now::other;
  Lookup found;
  if (!view_.find(rank, key, found)) return Now::sealed;
  return found.outcome == Outcome::found && found.record == record ? Now::same : Now::other;
}

bool Overlay::Change::is_removed(std::uint64_t rank) const {
  return was(rank).fate == Fate::removed;
}

void Overlay::Change::check(std::string_view key, std::string_view record) {
  check_limits(key, record);
}

void Overlay::Change::put(std::uint64_t rank, std::string_view key, std::string_view record) {
  raw_.clear();
  if (by_record_) {
    for (const base::ByteView text : {base::as_bytes(key), base::as_bytes(record)}) {
      raw_.insert(raw_.end(), text.begin(), text.end());
    }
  } else {
    append_raw_record(raw_, key, record);
  }
  // A reader decodes no unit that is longer than all of the build.
  UnitWriter& writer = raw_.size() <= codec_.longest_raw ? writer_ : raw_writer_;
  unit_.clear();
  writer.append(rank, by_record_ ? static_cast<std::uint32_t>(key.size()) : 1, raw_, unit_);
  base::Bytes size;
  base::append_varint(size, static_cast<std::uint32_t>(unit_.size()));
  const std::uint64_t place = appender_.place();
  appender_.append(size);
  appender_.append(unit_);
  note(rank, {place, size.size() + unit_.size()});
}

void Overlay::Change::remove(std::uint64_t rank) {
  note(rank, {});
}

void Overlay::Change::note(std::uint64_t rank, const Value& value) {
  const Was before = was(rank);
  values_[rank] = value;
  const std::uint64_t is_removed = value.place == 0 ? 1 : 0;
  const std::uint64_t was_removed = before.fate == Fate::removed ? 1 : 0;
  entries_ += before.fate == Fate::sealed ? 1 : 0;
  removed_ += is_removed - was_removed;
  if (rank >= sealed_) added_removed_ += is_removed - was_removed;
  value_bytes_ += value.bytes - before.value_bytes;
  spill_if_many();
}

std::vector<RunPlace> Overlay::Change::append_updates() {
  std::vector<UpdateEntry> entries;
  entries.reserve(values_.size());
  for (const auto& [rank, value] : values_) entries.push_back({rank, value.place});
  return append_run(
      std::move(entries), spilled_->record().runs,
      [&](std::size_t run) { return spilled_->entries_of(run); }, most_entries_, appender_);
}

std::vector<RunPlace> Overlay::Change::append_added() {
  std::vector<AddedEntry> entries;
  entries.reserve(new_keys_.size());
  for (const auto& [hash, added] : new_keys_) entries.push_back({hash, added.rank});
  return append_run(
      std::move(entries), spilled_->record().added_runs,
      [&](std::size_t run) { return spilled_->added_entries_of(run); }, most_entries_, appender_);
}

LogSlot Overlay::Change::append_record() {
  CommitRecord record;
  overlay_->named([&] {
    record.runs = append_updates();
    record.added_runs = append_added();
  });
  record.commit = before_->slot().commit + 1;
  record.entries = entries_;
  record.removed = removed_;
  record.added = added_;
  record.added_removed = added_removed_;
  record.value_bytes = value_bytes_;
  const base::Bytes bytes = record.encode();
  LogSlot slot;
  slot.content_id = overlay_->content_id_;
  slot.commit = record.commit;
  slot.record_begin = appender_.place();
  slot.record_check = XXH3_64bits(bytes.data(), bytes.size());
  appender_.append(bytes);
  slot.end = appender_.place();
  return slot;
}

void Overlay::Change::spill_if_many() {
  if (values_.size() + new_keys_.size() < most_entries_) return;
  const LogSlot slot = append_record();
  appender_.flush();
  overlay_->named([&] {
    const auto mapped = std::make_shared<const file::MappedFile>(log_, overlay_->path_.string(),
                                                                 file::Loading::live);
    spilled_ =
        std::make_shared<const UpdateSnapshot>(mapped, slot, sealed_, spilled_.get(), UINT64_MAX);
  });
  view_ = View(spilled_, sealed_records_);
  values_.clear();
  new_keys_.clear();
}

void Overlay::Change::write(const LogSlot& slot) {
  if (::fdatasync(log_.get()) != 0) {
    base::throw_file_error(overlay_->path_.string(), "cannot write", errno);
  }
  try {
    // Readers see it from now on. That this is on disk is for the next commit's wait: it can be
    // told from the head.
    write_in(log_, overlay_->path_, LogSlot::place(slot.commit), slot.encode());
  } catch (const Error&) {
    // Where it cannot be taken back either, it is committed: it is on disk, its head leads to it,
    // and the next writer names it.
    if (roll_back()) throw;
  }
}

void Overlay::Change::commit() {
  try {
    const LogSlot slot = append_record();
    appender_.finish(slot.commit, slot.end - slot.record_begin);
    write(slot);
    is_over_ = true;
  } catch (...) {
    if (!is_over_) roll_back();
    throw;
  }
}

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 20;

}  // namespace

void write_in(const base::FileDescriptor& file, const std::filesystem::path& path,
              std::uint64_t place, base::ByteView bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) base::throw_file_error(path.string(), "cannot write", errno);
    place += static_cast<std::uint64_t>(put);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
}

LogAppender::LogAppender(const base::FileDescriptor& file, std::filesystem::path path,
                         std::uint64_t begin)
    : file_(file),
      path_(std::move(path)),
      begin_(begin),
      flushed_(begin),
      buffer_(CommitHead::kBytes) {}

void LogAppender::append(base::ByteView bytes) {
  if (buffer_.size() + bytes.size() > kBuffer) flush();
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void LogAppender::flush() {
  const std::size_t head = flushed_ == begin_ ? CommitHead::kBytes : 0;
  hash_.add(base::ByteView(buffer_).subspan(head));
  write_in(file_, path_, flushed_, buffer_);
  flushed_ += buffer_.size();
  buffer_.clear();
}

void LogAppender::finish(std::uint64_t commit, std::uint64_t record_length) {
  CommitHead head{commit, place() - begin_, record_length, 0};
  const bool is_short = flushed_ == begin_;
  hash_.add(base::ByteView(buffer_).subspan(is_short ? CommitHead::kBytes : 0));
  head.check = hash_.value();
  const auto bytes = head.encode(begin_);
  if (is_short) std::ranges::copy(bytes, buffer_.begin());
  write_in(file_, path_, flushed_, buffer_);
  if (!is_short) write_in(file_, path_, begin_, bytes);
}

}  // namespace crivo::records
