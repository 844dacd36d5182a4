// SPDX-License-Identifier: Apache-2.0
/// What a writer does to updates: a commit behind the last.

#include "records/updates/build/overlay_change.hpp"

#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

#include "base/varint.hpp"
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

/// The entries of both, in the order of ranks; of a rank that both have the newer one.
std::vector<UpdateEntry> merge(const std::vector<UpdateEntry>& newer,
                               const std::vector<UpdateEntry>& older) {
  std::vector<UpdateEntry> both;
  both.reserve(newer.size() + older.size());
  std::ranges::set_union(newer, older, std::back_inserter(both), {}, &UpdateEntry::rank,
                         &UpdateEntry::rank);
  return both;
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
                        const base::FileDescriptor& log)
    : overlay_(std::move(overlay)),
      log_(log),
      before_(overlay_->adopt_last_commit(log)),
      appender_(log, overlay_->path_, before_->slot().end),
      by_record_(sealed.codec().type().by_record),
      longest_raw_(sealed.codec().longest_raw),
      encoding_(builder_of(sealed.codec().codec).open(sealed.codec().dictionary)),
      none_(builder_of(CodecId::none).open({})),
      writer_(*encoding_),
      raw_writer_(*none_),
      entries_(before_->record().entries),
      removed_(before_->record().removed) {
  // What was never committed, or failed to be, is no one's.
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
  if (const auto own = places_.find(rank); own != places_.end()) {
    return own->second == 0 ? Was::removed : Was::changed;
  }
  const UpdateSnapshot::Found found = before_->find(rank);
  if (found.what == UpdateRun::What::damaged) {
    overlay_->fail_damaged("damaged: what it has of rank " + std::to_string(rank) + " is");
  }
  if (found.what == UpdateRun::What::nothing) return Was::sealed;
  return found.entry.is_removal() ? Was::removed : Was::changed;
}

bool Overlay::Change::is_removed(std::uint64_t rank) const {
  return was(rank) == Was::removed;
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
  UnitWriter& writer = raw_.size() <= longest_raw_ ? writer_ : raw_writer_;
  unit_.clear();
  writer.append(rank, by_record_ ? static_cast<std::uint32_t>(key.size()) : 1, raw_, unit_);
  base::Bytes size;
  base::append_varint(size, static_cast<std::uint32_t>(unit_.size()));
  const std::uint64_t place = appender_.place();
  appender_.append(size);
  appender_.append(unit_);
  note(rank, place);
}

void Overlay::Change::remove(std::uint64_t rank) {
  note(rank, 0);
}

void Overlay::Change::note(std::uint64_t rank, std::uint64_t place) {
  const Was was_before = was(rank);
  places_[rank] = place;
  entries_ += was_before == Was::sealed ? 1 : 0;
  removed_ -= was_before == Was::removed ? 1 : 0;
  removed_ += place == 0 ? 1 : 0;
}

std::vector<UpdateEntry> Overlay::Change::merged_entries(std::vector<RunPlace>& left) const {
  const std::vector<RunPlace>& runs = before_->record().runs;
  if (places_.empty()) {
    left = runs;
    return {};
  }
  std::vector<UpdateEntry> entries;
  entries.reserve(places_.size());
  for (const auto& [rank, place] : places_) entries.push_back({rank, place});
  std::ranges::sort(entries, {}, &UpdateEntry::rank);
  std::size_t merged = 0;
  for (std::size_t next = merged;; next = merged) {
    while (next < runs.size() && level_of(runs[next].entries) <= level_of(entries.size())) ++next;
    if (next - merged + 1 < kMergedRuns) break;
    for (; merged < next; ++merged) entries = merge(entries, before_->entries_of(merged));
  }
  left.assign(runs.begin() + static_cast<std::ptrdiff_t>(merged), runs.end());
  return entries;
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
    CommitRecord record;
    overlay_->named([&] {
      const std::vector<UpdateEntry> entries = merged_entries(record.runs);
      if (entries.empty()) return;
      RunPlace place{.begin = appender_.place()};
      appender_.append(encode_run(entries, place));
      record.runs.insert(record.runs.begin(), place);
    });
    record.commit = before_->slot().commit + 1;
    record.entries = entries_;
    record.removed = removed_;
    const base::Bytes bytes = record.encode();
    LogSlot slot;
    slot.content_id = overlay_->content_id_;
    slot.commit = record.commit;
    slot.record_begin = appender_.place();
    slot.record_check = XXH3_64bits(bytes.data(), bytes.size());
    appender_.append(bytes);
    slot.end = appender_.place();
    appender_.finish(record.commit, bytes.size());
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
