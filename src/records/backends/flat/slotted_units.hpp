// SPDX-License-Identifier: Apache-2.0
/// Units and the slots that tell where each is, together: what a flat store has once, and a store
/// whose parts are served unmerged once a part.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "base/cpu.hpp"
#include "file/mapped_file.hpp"
#include "records/backends/flat/slots.hpp"
#include "records/lookup.hpp"
#include "records/unit.hpp"

namespace crivo::records {

/// A batch asks for a slot, then for the entry that it names, then reads that. So many entries are
/// asked for at most, and no more once they have so many bytes: what is asked for must not drive
/// from the first cache what is read before it.
inline constexpr std::size_t kSlotsAhead = 32;
inline constexpr std::size_t kEntriesAhead = 12;
inline constexpr std::uint64_t kBytesAhead = 8192;

/// Over untrusted bytes that outlive it. Ranks count from the first slot.
class SlottedUnits {
 public:
  SlottedUnits() = default;
  SlottedUnits(const Slots& slots, base::ByteView units, const file::PagedBytes& paged = {})
      : slots_(slots), units_(units), paged_(paged) {}

  std::uint64_t records() const noexcept { return slots_.records(); }
  std::uint16_t fingerprint(std::uint64_t rank) const noexcept { return slots_.fingerprint(rank); }
  /// Whether the rank's key may be one whose hash has this first half.
  bool may_hold(std::uint64_t rank, std::uint64_t half) const noexcept {
    return slots_.fingerprint(rank) == fingerprint_of(half);
  }
  SlotEntry entry(std::uint64_t rank) const noexcept { return slots_.entry(rank); }
  /// The same where the other was asked for before.
  bool touched_may_hold(std::uint64_t rank, std::uint64_t half) const noexcept {
    return slots_.touched_fingerprint(rank) == fingerprint_of(half);
  }
  SlotEntry touched_entry(std::uint64_t rank) const noexcept { return slots_.touched_entry(rank); }
  /// The unit that is said to be there; empty where that is none of the section. What is paged is
  /// read into `room`, which has place for the longest unit.
  base::ByteView unit_at(const SlotEntry& entry, std::span<std::byte> room = {}) const noexcept {
    const base::ByteView found = bytes_at(entry, room);
    return entry.is_reference ? bytes_at(followed(found), room) : found;
  }

  void prefetch_slot(std::uint64_t rank) const noexcept { slots_.prefetch(rank); }
  /// Asks for an entry, which has so many bytes.
  [[gnu::always_inline]] std::uint64_t prefetch(const SlotEntry& entry) const noexcept {
    if (entry.begin > units_.size() || entry.size > units_.size() - entry.begin) return 0;
    base::prefetch_lines(units_.data() + entry.begin, entry.size, kBytesAhead / base::kCacheLine);
    return entry.size;
  }

 private:
  base::ByteView bytes_at(const SlotEntry& entry, std::span<std::byte> room) const noexcept {
    if (entry.begin > units_.size() || entry.size > units_.size() - entry.begin) return {};
    const base::ByteView bytes = units_.subspan(entry.begin, entry.size);
    if (!paged_.has_file()) [[likely]]
      return bytes;
    if (bytes.size() > room.size() || !paged_.read(bytes, room.data())) return {};
    return room.first(bytes.size());
  }
  static SlotEntry followed(base::ByteView reference) noexcept {
    if (reference.size() != kReferenceBytes) return {};
    return {base::load_le<std::uint64_t>(reference.data()),
            base::load_le<std::uint64_t>(reference.data() + 8)};
  }

  Slots slots_;
  base::ByteView units_;
  file::PagedBytes paged_;
};

/// One thread's way to the records of SlottedUnits of one codec.
class SlottedReader {
 public:
  /// `room` is that of SlottedUnits::unit_at().
  explicit SlottedReader(UnitReader unit, base::Bytes room = {})
      : unit_(std::move(unit)), room_(std::move(room)) {}

  /// The record of a rank, whose slot's entry this is, if its key is `key`. Allocates nothing.
  [[gnu::always_inline]] Lookup read(const SlottedUnits& units, std::uint64_t rank,
                                     const SlotEntry& entry, std::string_view key) noexcept {
    if (unit_.by_record()) [[likely]]
      return unit_.find(units.unit_at(entry, room_), rank, key);
    return read_of_block(units, rank, entry, key);
  }
  /// The key that is stored with it; nothing where it is damaged.
  std::optional<std::string_view> key_of(const SlottedUnits& units, std::uint64_t rank,
                                         const SlotEntry& entry) noexcept {
    std::string_view key;
    std::string_view record;
    if (unit_.by_record()) {
      if (!unit_.open(units.unit_at(entry, room_), rank) || !unit_.take(key, record))
        return std::nullopt;
      return key;
    }
    if (read_of_block(units, rank, entry, {}).outcome == Outcome::damaged) return std::nullopt;
    if (!unit_.go_to(static_cast<std::uint32_t>(rank - opened_)) || !unit_.take(key, record))
      return std::nullopt;
    return key;
  }

 private:
  [[gnu::noinline]] Lookup read_of_block(const SlottedUnits& units, std::uint64_t rank,
                                         SlotEntry entry, std::string_view key) noexcept {
    std::uint64_t first = rank;
    while (entry.size == 0) {  // of the unit of a rank before
      if (first == 0) return {Outcome::damaged, {}};
      entry = units.entry(--first);
    }
    if (first != opened_ || &units != opened_of_) {
      opened_ = first;
      opened_of_ = unit_.open(units.unit_at(entry, room_), first) ? &units : nullptr;
      if (opened_of_ == nullptr) return {Outcome::damaged, {}};
    }
    const std::uint64_t number = rank - first;
    if (number >= unit_.records()) return {Outcome::damaged, {}};
    std::string_view found;
    std::string_view record;
    if (!unit_.go_to(static_cast<std::uint32_t>(number)) || !unit_.take(found, record)) {
      opened_of_ = nullptr;
      return {Outcome::damaged, {}};
    }
    if (found != key) return {};
    return {Outcome::found, record};
  }

  UnitReader unit_;
  base::Bytes room_;
  const SlottedUnits* opened_of_ = nullptr;  ///< of the open unit; null: none is open
  std::uint64_t opened_ = 0;                 ///< its first rank
};

/// Calls ask_slot(i), some calls later ask(i), which returns the bytes that it asked for, and again
/// some later read(i), for each i below `size`; at most 2 * kEntriesAhead of them are asked and not
/// yet read.
template <typename AskSlot, typename Ask, typename Read>
void for_each_ahead(std::size_t size, const AskSlot& ask_slot, const Ask& ask, const Read& read) {
  std::array<std::uint64_t, 2 * kEntriesAhead> bytes;  // of what is asked and not yet read: a ring
  std::uint64_t bytes_asked = 0;
  std::size_t asked = 0;
  for (std::size_t i = 0; i < std::min(kSlotsAhead, size); ++i) ask_slot(i);
  for (std::size_t i = 0; i < size; ++i) {
    if (i + kSlotsAhead < size) ask_slot(i + kSlotsAhead);
    const std::size_t last = std::min(i + kEntriesAhead, size - 1);
    while (asked <= i || (asked <= last && bytes_asked < kBytesAhead)) {
      bytes[asked % bytes.size()] = ask(asked);
      bytes_asked += bytes[asked % bytes.size()];
      ++asked;
    }
    bytes_asked -= bytes[i % bytes.size()];
    read(i);
  }
}

}  // namespace crivo::records
