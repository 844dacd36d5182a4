// SPDX-License-Identifier: Apache-2.0
/// The slots of a flat store: where each record's unit is, and a fingerprint of its key.
///
/// Lines of 64 bytes, of 14 slots each: u64 word, whose low 50 bits are the place of the line's
/// entries in the section of units, and whose high 14 bits say of each slot, the first lowest,
/// whether its entry is a reference; then 14 times u16 end: a slot's entry ends so many bytes after
/// the place, and begins where that of the slot before ends; then 14 times u16 fingerprint. An
/// entry is a unit, or a reference to one: u64 place, u64 length. A slot whose entry is empty
/// belongs to the unit of the slot before it. The slots of the last line that no rank has are
/// empty, with fingerprint 0. See formats/flat.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "base/page_checks.hpp"

namespace crivo::records {

inline constexpr std::uint64_t kSlotsALine = 14;
inline constexpr std::size_t kSlotLineBytes = 64;
/// The longest units that stand among a line's entries; longer ones are referred to.
inline constexpr std::uint64_t kMostEntryBytes = UINT16_MAX / kSlotsALine;
inline constexpr std::uint64_t kReferenceBytes = 16;

/// Where an entry is said to be in the section of units: anywhere, but not before its begin.
struct SlotEntry {
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
  bool is_reference = false;
};

/// The slots of `records` ranks, over untrusted bytes that outlive it.
class Slots {
 public:
  Slots() = default;
  /// Throws Error(corrupt) unless the section is as long as its slots, and those that no rank has
  /// are empty.
  Slots(const base::CheckedBytes& checked, std::uint64_t records);

  std::uint64_t records() const noexcept { return records_; }

  void prefetch(std::uint64_t rank) const noexcept { __builtin_prefetch(line_of(rank)); }
  /// Touches the line. (A damaged entry leads to none of the rank's units, which have checks.)
  std::uint16_t fingerprint(std::uint64_t rank) const noexcept {
    pages_.touch(line_of(rank), kSlotLineBytes);
    return touched_fingerprint(rank);
  }
  /// The slot's own entry. Touches the line.
  SlotEntry entry(std::uint64_t rank) const noexcept {
    pages_.touch(line_of(rank), kSlotLineBytes);
    return touched_entry(rank);
  }
  /// The same where the other was asked for before.
  std::uint16_t touched_fingerprint(std::uint64_t rank) const noexcept {
    return base::load_le<std::uint16_t>(line_of(rank) + kFingerprintsAt + 2 * (rank % kSlotsALine));
  }
  SlotEntry touched_entry(std::uint64_t rank) const noexcept {
    const std::byte* const line = line_of(rank);
    const std::uint64_t slot = rank % kSlotsALine;
    const std::uint64_t word = base::load_le<std::uint64_t>(line);
    const std::byte* const ends = line + kEndsAt + 2 * slot;
    const std::uint64_t begin = slot == 0 ? 0 : base::load_le<std::uint16_t>(ends - 2);
    const std::uint64_t end = base::load_le<std::uint16_t>(ends);
    return {(word & kPlaceMask) + begin, end < begin ? 0 : end - begin,
            (word >> kPlaceBits >> slot & 1) != 0};
  }

  static constexpr unsigned kPlaceBits = 50;
  static constexpr std::uint64_t kPlaceMask = (std::uint64_t{1} << kPlaceBits) - 1;
  static constexpr std::size_t kEndsAt = 8;
  static constexpr std::size_t kFingerprintsAt = kEndsAt + 2 * kSlotsALine;

 private:
  const std::byte* line_of(std::uint64_t rank) const noexcept {
    return lines_ + rank / kSlotsALine * kSlotLineBytes;
  }

  const std::byte* lines_ = nullptr;
  base::Pages pages_;
  std::uint64_t records_ = 0;
};

/// A line of slots in the making, with its entries.
class SlotLine {
 public:
  bool full() const noexcept { return slots_ == kSlotsALine; }
  bool empty() const noexcept { return slots_ == 0; }

  /// Adds a slot with a short unit, of at most kMostEntryBytes.
  void add_unit(std::uint16_t fingerprint, base::ByteView unit);
  /// Adds a slot with a reference to a unit.
  void add_reference(std::uint16_t fingerprint, std::uint64_t place, std::uint64_t size);
  /// Adds a slot that belongs to the unit of the slot before.
  void add_member(std::uint16_t fingerprint);

  base::ByteView entries() const noexcept { return entries_; }
  /// The line's bytes, whose entries are at `place`; then it is empty.
  std::array<std::byte, kSlotLineBytes> finish(std::uint64_t place) noexcept;

 private:
  std::size_t slots_ = 0;
  std::uint64_t references_ = 0;  ///< a bit for each slot
  std::array<std::uint16_t, kSlotsALine> ends_{};
  std::array<std::uint16_t, kSlotsALine> fingerprints_{};
  base::Bytes entries_;
};

}  // namespace crivo::records
