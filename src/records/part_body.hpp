// SPDX-License-Identifier: Apache-2.0
/// The bytes of a part of a store's records while it is made: its ranks in order, of units that
/// lack nothing but their check, and of places for strays' records. In its file a part has them as
/// part_records.hpp says.
///
/// Of a codec by record, for each rank: varint size of the unit without its check, or 0 for a
/// stray's; u16 fingerprint; the unit. Of one by block, for each block: varint size of what follows
/// the fingerprints; varint records r; varint strays s; s times varint the number of records since
/// the one before (or the begin); r - s times u16 fingerprint; then, where s is 0, the unit without
/// its check, and else the raw records, which are empty (append_stray_place()) of strays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/varint.hpp"
#include "records/block.hpp"

namespace crivo::records {

/// So many records are in a block at most.
inline constexpr std::uint32_t kMostInEntry = 8192;

/// An entry that is read: views, but for the strays.
struct PartEntry {
  std::uint32_t records = 1;
  std::vector<std::uint32_t> strays;  ///< their numbers in the unit, ascending
  base::ByteView fingerprints;        ///< of the others, u16 each
  base::ByteView bytes;
};

inline void append_fingerprints(base::Bytes& body, std::span<const std::uint16_t> fingerprints) {
  for (const std::uint16_t fingerprint : fingerprints) {
    const std::size_t at = body.size();
    body.resize(at + sizeof fingerprint);
    base::store_le(body.data() + at, fingerprint);
  }
}

/// What stands among raw records for a stray's: an empty key and an empty record.
inline void append_stray_place(base::Bytes& raw) {
  append_raw_record(raw, {}, {});
}

/// The numbers of a block's strays as varints: of each the records since the one before.
inline void append_strays(base::Bytes& bytes, std::span<const std::uint32_t> strays) {
  std::uint32_t before = 0;
  for (const std::uint32_t stray : strays) {
    base::append_varint(bytes, stray - before);
    before = stray + 1;
  }
}
/// Takes the next `count` of them, of a block of so many records, off the front; false if they are
/// malformed.
inline bool take_strays(base::ByteView& bytes, std::uint32_t count, std::uint32_t records,
                        std::vector<std::uint32_t>& strays) {
  std::uint64_t next = strays.empty() ? 0 : std::uint64_t{strays.back()} + 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t skipped = 0;
    if (!base::take_varint(bytes, skipped)) return false;
    next += skipped;
    if (next >= records) return false;
    strays.push_back(static_cast<std::uint32_t>(next++));
  }
  return true;
}

/// Of a codec by record: an entry for a stray, or with a unit, or with the unit of a raw record.
inline void append_stray_entry(base::Bytes& body) {
  base::append_varint(body, 0);
}
inline void append_record_entry(base::Bytes& body, std::uint16_t fingerprint, base::ByteView unit) {
  base::append_varint(body, static_cast<std::uint32_t>(unit.size()));
  append_fingerprints(body, {&fingerprint, 1});
  body.insert(body.end(), unit.begin(), unit.end());
}
inline void append_raw_entry(base::Bytes& body, std::uint16_t fingerprint, std::uint32_t key_size,
                             base::ByteView raw) {
  const std::uint32_t head = 2 * key_size;
  base::append_varint(body, static_cast<std::uint32_t>(base::varint_size(head) + raw.size()));
  append_fingerprints(body, {&fingerprint, 1});
  base::append_varint(body, head);
  body.insert(body.end(), raw.begin(), raw.end());
}

/// Of a codec by block.
inline void append_block_entry(base::Bytes& body, std::uint32_t records,
                               std::span<const std::uint32_t> strays,
                               std::span<const std::uint16_t> fingerprints, base::ByteView bytes) {
  base::append_varint(body, static_cast<std::uint32_t>(bytes.size()));
  base::append_varint(body, records);
  base::append_varint(body, static_cast<std::uint32_t>(strays.size()));
  append_strays(body, strays);
  append_fingerprints(body, fingerprints);
  body.insert(body.end(), bytes.begin(), bytes.end());
}

/// Takes an entry off the front of a body; false if that is malformed.
inline bool take_entry(base::ByteView& body, bool by_record, PartEntry& entry) {
  std::uint32_t size = 0;
  std::uint32_t strays = 0;
  entry.records = 1;
  entry.strays.clear();
  if (!base::take_varint(body, size)) return false;
  if (by_record) {
    if (size == 0) entry.strays.push_back(0);
  } else {
    if (!base::take_varint(body, entry.records) || !base::take_varint(body, strays)) return false;
    if (entry.records == 0 || entry.records > kMostInEntry || strays > entry.records) return false;
    if (!take_strays(body, strays, entry.records, entry.strays)) return false;
  }
  const std::uint64_t fingerprints = (entry.records - entry.strays.size()) * sizeof(std::uint16_t);
  if (fingerprints > body.size() || size > body.size() - fingerprints) return false;
  entry.fingerprints = body.first(fingerprints);
  entry.bytes = body.subspan(fingerprints, size);
  body = body.subspan(fingerprints + size);
  return true;
}

}  // namespace crivo::records
