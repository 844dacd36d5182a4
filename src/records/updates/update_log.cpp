// SPDX-License-Identifier: Apache-2.0
#include "records/updates/update_log.hpp"

#include <xxhash.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"
#include "hashing/stream_hash.hpp"

namespace crivo::records {

namespace {

constexpr std::string_view kLogMagic = "CRIVOUPD";
constexpr std::uint64_t kLeastPageEntries = 341;  // of 4092 bytes
constexpr std::uint64_t kMostPages = 4096;

[[noreturn]] void fail_log(const std::string& problem) {
  throw Error(ErrorKind::corrupt, problem);
}

std::uint64_t field(base::ByteView bytes, std::size_t at) noexcept {
  return base::load_le<std::uint64_t>(bytes.data() + at);
}

}  // namespace

std::uint64_t RunPlace::page_entries() const noexcept {
  std::uint64_t most = kLeastPageEntries;
  while (entries / most >= kMostPages) most *= 2;
  return most;
}

std::uint64_t RunPlace::pages() const noexcept {
  return base::div_ceil(entries, page_entries());
}

bool RunPlace::fits(std::uint64_t entry_bytes, std::uint64_t row_bytes, std::uint64_t most,
                    std::uint64_t end) const noexcept {
  return entries != 0 && entries <= most && begin >= kLogFront && begin <= end &&
         entries <= (end - begin) / entry_bytes &&
         pages() * row_bytes <= end - begin - entries * entry_bytes;
}

std::uint64_t CommitRecord::bytes_in_use() const noexcept {
  std::uint64_t bytes = kLogFront + value_bytes + kFixedBytes;
  for (const RunPlace& run : runs)
    bytes += kRunBytes + run.entries * RunPlace::kEntryBytes + run.pages() * RunPlace::kRowBytes;
  for (const RunPlace& run : added_runs)
    bytes +=
        kRunBytes + run.entries * RunPlace::kAddedBytes + run.pages() * RunPlace::kAddedRowBytes;
  return bytes;
}

base::Bytes CommitRecord::encode() const {
  base::FieldWriter fields;
  fields.u64(commit).u64(entries).u64(removed).u64(added).u64(added_removed);
  fields.u64(runs.size()).u64(added_runs.size()).u64(value_bytes);
  for (const auto* each : {&runs, &added_runs}) {
    for (const RunPlace& run : *each) fields.u64(run.begin).u64(run.entries).u64(run.check);
  }
  return fields.take();
}

std::optional<CommitRecord> CommitRecord::decode(base::ByteView bytes, std::uint64_t begin,
                                                 std::uint64_t records) {
  if (bytes.size() < kFixedBytes) return std::nullopt;
  CommitRecord record;
  record.commit = field(bytes, 0);
  record.entries = field(bytes, 8);
  record.removed = field(bytes, 16);
  record.added = field(bytes, 24);
  record.added_removed = field(bytes, 32);
  const std::uint64_t runs = field(bytes, 40);
  const std::uint64_t added_runs = field(bytes, 48);
  record.value_bytes = field(bytes, 56);
  if (runs > kMostRuns || added_runs > kMostRuns ||
      bytes.size() != kFixedBytes + (runs + added_runs) * kRunBytes ||
      record.added > kMostRanks - std::min(records, kMostRanks) || record.added > record.entries ||
      record.entries > records + record.added || record.removed > record.entries ||
      record.added_removed > std::min(record.added, record.removed) || record.value_bytes > begin ||
      record.removed - record.added_removed > record.entries - record.added) {
    return std::nullopt;
  }
  for (std::uint64_t i = 0; i < runs + added_runs; ++i) {
    const std::size_t at = kFixedBytes + i * kRunBytes;
    const RunPlace run{field(bytes, at), field(bytes, at + 8), field(bytes, at + 16)};
    const bool is_of_updates = i < runs;
    if (!(is_of_updates
              ? run.fits(RunPlace::kEntryBytes, RunPlace::kRowBytes, record.entries, begin)
              : run.fits(RunPlace::kAddedBytes, RunPlace::kAddedRowBytes, record.added, begin))) {
      return std::nullopt;
    }
    (is_of_updates ? record.runs : record.added_runs).push_back(run);
  }
  // Each added key is in one run: so what a record claims has its bytes.
  std::uint64_t added = 0;
  for (const RunPlace& run : record.added_runs) added += run.entries;
  if (added != record.added) return std::nullopt;
  return record;
}

base::Bytes LogSlot::encode() const {
  base::FieldWriter fields;
  fields.bytes(base::as_bytes(kLogMagic)).u32(version).u32(0).bytes(content_id);
  fields.u64(commit).u64(record_begin).u64(end).u64(record_check);
  const std::uint64_t check = XXH3_64bits(fields.view().data(), fields.view().size());
  return fields.u64(check).take();
}

std::optional<LogSlot> LogSlot::decode(base::ByteView bytes) {
  if (base::as_text(bytes.first(kLogMagic.size())) != kLogMagic ||
      field(bytes, kCheckAt) != XXH3_64bits(bytes.data(), kCheckAt)) {
    return std::nullopt;
  }
  LogSlot slot;
  slot.version = base::load_le<std::uint32_t>(bytes.data() + 8);
  std::ranges::copy(bytes.subspan(16, 16), slot.content_id.begin());
  slot.commit = field(bytes, kCommitAt);
  slot.record_begin = field(bytes, 40);
  slot.end = field(bytes, 48);
  slot.record_check = field(bytes, 56);
  return slot;
}

std::array<std::byte, CommitHead::kBytes> CommitHead::encode(std::uint64_t begin) const noexcept {
  std::array<std::byte, kBytes> bytes;
  const std::array fields{commit, length, record_length, check};
  for (std::size_t i = 0; i < fields.size(); ++i) base::store_le(&bytes[8 * i], fields[i]);
  base::store_le(&bytes[32], XXH3_64bits_withSeed(bytes.data(), 32, begin));
  return bytes;
}

std::optional<CommitHead> CommitHead::read(const base::FileDescriptor& file, std::uint64_t begin) {
  std::array<std::byte, kBytes> bytes;
  if (!file.read_at(begin, bytes) ||
      field(bytes, 32) != XXH3_64bits_withSeed(bytes.data(), 32, begin)) {
    return std::nullopt;
  }
  const CommitHead head{field(bytes, 0), field(bytes, 8), field(bytes, 16), field(bytes, 24)};
  const std::uint64_t size = file.size();
  if (begin > size || head.length > size - begin || head.length < kBytes ||
      head.record_length > head.length - kBytes) {
    return std::nullopt;
  }
  return head;
}

bool CommitHead::fits(const base::FileDescriptor& file, std::uint64_t begin) const {
  constexpr std::uint64_t kBlock = std::uint64_t{1} << 18;
  hashing::StreamHash hash;
  base::Bytes block(std::min(kBlock, length));
  const std::uint64_t end = begin + length;
  for (std::uint64_t at = begin + kBytes; at < end;) {
    const auto piece = std::span(block).first(std::min<std::uint64_t>(block.size(), end - at));
    if (!file.read_at(at, piece)) return false;
    hash.add(piece);
    at += piece.size();
  }
  return hash.value() == check;
}

LogSlot slot_of(const CommitHead& head, const base::FileDescriptor& file, std::uint64_t begin,
                const ContentId& content_id) {
  LogSlot slot;
  slot.content_id = content_id;
  slot.commit = head.commit;
  slot.end = begin + head.length;
  slot.record_begin = slot.end - head.record_length;
  base::Bytes record(head.record_length);
  if (!file.read_at(slot.record_begin, record)) fail_log("it ends before its last commit does");
  slot.record_check = XXH3_64bits(record.data(), record.size());
  return slot;
}

LastCommit read_slots(const base::FileDescriptor& file, const ContentId& content_id) {
  LastCommit last;
  bool is_found = false;
  for (std::uint64_t i = 0; i < 2; ++i) {
    std::array<std::byte, LogSlot::kBytes> bytes;
    if (!file.read_at(LogSlot::place(i), bytes)) fail_log("damaged: it is cut short");
    const auto slot = LogSlot::decode(bytes);
    if (!slot || (slot->version == LogSlot::kVersion && slot->commit % 2 != i)) {
      // Before the first commit one of them is empty.
      last.is_damaged |= std::ranges::any_of(bytes, [](std::byte b) { return b != std::byte{}; });
    } else if (slot->version > LogSlot::kVersion) {
      throw Error(ErrorKind::too_new, "of a later version; use a later program");
    } else if (slot->version == 0 || slot->content_id != content_id) {
      fail_log("is of another build than the store");
    } else if (!is_found || slot->commit > last.slot.commit) {
      last.slot = *slot;
      is_found = true;
    }
  }
  if (!is_found) fail_log("damaged: it does not say which commit is its last");
  const LogSlot& slot = last.slot;
  if (slot.record_begin < kLogFront || slot.end < slot.record_begin || slot.end > file.size()) {
    fail_log("damaged: it ends before its last commit does");
  }
  return last;
}

bool has_bytes(const base::FileDescriptor& file, std::uint64_t begin, std::uint64_t end) {
  end = std::min(end, file.size());
  if (begin >= end) return false;
  base::Bytes bytes(end - begin);
  return !file.read_at(begin, bytes) ||
         std::ranges::any_of(bytes, [](std::byte b) { return b != std::byte{}; });
}

void check_front(const base::FileDescriptor& file, const ContentId& content_id) {
  if (read_slots(file, content_id).is_damaged) fail_log("damaged: one of its two slots");
  if (has_bytes(file, LogSlot::kBytes, kSlotSpacing) ||
      has_bytes(file, kSlotSpacing + LogSlot::kBytes, kLogFront))
    fail_log("damaged: the first " + std::to_string(kLogFront) + " bytes, beside its slots");
}

void check_commits(const base::FileDescriptor& file, const LogSlot& last) {
  std::uint64_t begin = kLogFront;
  for (std::uint64_t commit = 0; begin != last.end; ++commit) {
    const auto head = CommitHead::read(file, begin);
    if (!head || head->commit != commit || !head->fits(file, begin) ||
        begin + head->length > last.end) {
      fail_log("damaged: commit " + std::to_string(commit) + ", which begins at byte " +
               std::to_string(begin));
    }
    begin += head->length;
  }
}

}  // namespace crivo::records
