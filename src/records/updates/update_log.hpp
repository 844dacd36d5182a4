// SPDX-License-Identifier: Apache-2.0
/// The log in which a store's updates are: what its bytes say. See formats/store.md.
///
/// A front page with two slots, then commits one after the other, which are only ever appended. A
/// commit: its head; values (varint length, unit); runs; its record, which names the runs that hold
/// all updates as of this commit. Nothing is ever read that a check in the record of the last
/// commit does not lead to, check by check.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "base/file_descriptor.hpp"
#include "records/identity.hpp"

namespace crivo::records {

/// Where the first commit begins.
inline constexpr std::uint64_t kLogFront = 4096;
/// The slots begin at 0 and here: in sectors of their own.
inline constexpr std::uint64_t kSlotSpacing = 512;

/// Where a run is: entries in order, in pages, and behind them a row of the table for each page:
/// its first key; u64 its XXH3-64. An entry of updates, whose key is a rank (u64 in a row): 48 bits
/// rank, 48 bits place of the value in the file, 0 where the record was removed. One of keys that
/// were added: u64 hi, u64 lo of the key's hash, by which they are ordered; 48 bits rank.
struct RunPlace {
  static constexpr std::uint64_t kEntryBytes = 12;
  static constexpr std::uint64_t kRowBytes = 16;
  static constexpr std::uint64_t kAddedBytes = 22;
  static constexpr std::uint64_t kAddedRowBytes = 24;

  std::uint64_t begin = 0;
  std::uint64_t entries = 0;  ///< at least 1
  std::uint64_t check = 0;    ///< XXH3-64 of the table

  /// Entries a page: the least of 341 times a power of 2 with which there are at most 4096 pages.
  std::uint64_t page_entries() const noexcept;
  std::uint64_t pages() const noexcept;
  /// Whether the run, whose entries and rows take so much each, lies behind the front and before
  /// `end`, and has entries, at most `most`.
  bool fits(std::uint64_t entry_bytes, std::uint64_t row_bytes, std::uint64_t most,
            std::uint64_t end) const noexcept;
  bool operator==(const RunPlace&) const = default;
};

/// The state of all updates as of a commit. Bytes: u64 number of the commit; u64 entries; u64
/// removed; u64 added; u64 added and removed; u64 number of runs of updates; u64 of those of added
/// keys; u64 bytes of the values that entries lead to; then of each run, updates first, the newest
/// first: u64 begin; u64 entries; u64 check.
struct CommitRecord {
  static constexpr std::uint64_t kFixedBytes = 64;
  static constexpr std::uint64_t kRunBytes = 24;
  static constexpr std::uint64_t kMostRuns = 128;
  static constexpr std::uint64_t kMostRanks = std::uint64_t{1} << 48;

  std::uint64_t commit = 0;
  std::uint64_t entries = 0;  ///< ranks with an update
  std::uint64_t removed = 0;  ///< of them
  std::uint64_t added = 0;    ///< keys that the build did not have: their ranks follow on its own
  std::uint64_t added_removed = 0;  ///< of them, those that are removed
  std::uint64_t value_bytes = 0;    ///< that are in use
  std::vector<RunPlace> runs;
  std::vector<RunPlace> added_runs;

  /// How much of the log leads to records, and is them.
  std::uint64_t bytes_in_use() const noexcept;
  base::Bytes encode() const;
  /// Decodes a record that begins at `begin`, of a store of so many records; nothing if it is
  /// malformed: all runs lie between the front and the record.
  static std::optional<CommitRecord> decode(base::ByteView bytes, std::uint64_t begin,
                                            std::uint64_t records);
};

/// Which commit is the last. Bytes: "CRIVOUPD"; u32 version; u32 zero; 16 bytes content id of the
/// store; u64 number of the commit; u64 begin and u64 end of its record; u64 XXH3-64 of the record;
/// u64 XXH3-64 of all before. That of commit c is slot c mod 2.
struct LogSlot {
  static constexpr std::uint32_t kVersion = 1;
  static constexpr std::uint64_t kBytes = 72;
  static constexpr std::uint64_t kCommitAt = 32;
  static constexpr std::uint64_t kCheckAt = 64;

  std::uint32_t version = kVersion;
  ContentId content_id{};
  std::uint64_t commit = 0;
  std::uint64_t record_begin = kLogFront;
  std::uint64_t end = kLogFront;
  std::uint64_t record_check = 0;

  static std::uint64_t place(std::uint64_t commit) noexcept { return commit % 2 * kSlotSpacing; }
  base::Bytes encode() const;
  /// Nothing if the bytes are no slot.
  static std::optional<LogSlot> decode(base::ByteView bytes);
};

/// The head of a commit. Bytes: u64 its number; u64 its length; u64 that of its record, with which
/// it ends; u64 XXH3-64 of all after the head; u64 XXH3-64 of all before, seed: the place of the
/// head.
struct CommitHead {
  static constexpr std::uint64_t kBytes = 40;

  std::uint64_t commit = 0;
  std::uint64_t length = 0;
  std::uint64_t record_length = 0;
  std::uint64_t check = 0;

  std::array<std::byte, kBytes> encode(std::uint64_t begin) const noexcept;
  /// The head of the commit that begins there; nothing if the file has no head there.
  static std::optional<CommitHead> read(const base::FileDescriptor& file, std::uint64_t begin);
  /// Whether the rest of the commit is what the head says. Reads all of it.
  bool fits(const base::FileDescriptor& file, std::uint64_t begin) const;
};

/// The slot of the commit that a head leads to, in the log of a store with this content id. The
/// commit fits().
LogSlot slot_of(const CommitHead& head, const base::FileDescriptor& file, std::uint64_t begin,
                const ContentId& content_id);

/// The content of the slots of a log.
struct LastCommit {
  LogSlot slot;             ///< the later one of those that are whole
  bool is_damaged = false;  ///< another is not, or is being written
};
/// Throws Error(corrupt) if there is none, or it is of another store, or the file is cut short;
/// Error(too_new), Error(io).
LastCommit read_slots(const base::FileDescriptor& file, const ContentId& content_id);

/// Whether there are any but zeros, up to the end of the file at most.
bool has_bytes(const base::FileDescriptor& file, std::uint64_t begin, std::uint64_t end);

/// Checks what stands before the first commit: that both slots are whole or empty, and the rest is
/// zero. Throws Error(corrupt), Error(io).
void check_front(const base::FileDescriptor& file, const ContentId& content_id);

/// Checks the bytes of all commits up to the last. Throws Error(corrupt), Error(io).
void check_commits(const base::FileDescriptor& file, const LogSlot& last);

}  // namespace crivo::records
