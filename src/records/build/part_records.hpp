// SPDX-License-Identifier: Apache-2.0
/// The records of a part in its file (formats/parts.md): units and slots as a flat store has them,
/// of ranks that count from the part's first, so that the part is served as it is as well as
/// joined.
///
/// A unit's check is of its rank in the part. A bumped key has fingerprint 0, and of a codec by
/// record an empty entry. A block with bumped keys is a raw unit, in which an empty key and record
/// stand for each, and behind the records the bumped keys' numbers (append_bumped_numbers()).
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/sink.hpp"
#include "records/backends/flat/build/flat_writer.hpp"
#include "records/backends/flat/slotted_units.hpp"
#include "records/build/part_body.hpp"
#include "records/codec.hpp"
#include "records/unit.hpp"

namespace crivo::records {

class PartRecordsWriter {
 public:
  /// Both sinks are empty, and outlive this.
  PartRecordsWriter(const CodecType& type, base::Sink& units, base::Sink& slots)
      : by_record_(type.by_record), check_of_(hashing::crc32c()), slots_(units, slots) {}

  /// Adds ranks (RecordPart::body).
  void add(const PartBody& body) {
    body.for_each([&](const PartEntry& entry) { add_entry(entry); });
  }
  /// Call once, last. The number of ranks.
  std::uint64_t finish();

 private:
  void add_entry(const PartEntry& entry);

  bool by_record_;
  hashing::Crc32c check_of_;
  SlotWriter slots_;
  std::uint64_t ranks_ = 0;
  base::Bytes unit_;
};

/// Reads them in order, from untrusted bytes.
class PartRecordsReader {
 public:
  /// `units` outlives this.
  PartRecordsReader(const CodecType& type, const SlottedUnits& units) noexcept
      : by_record_(type.by_record), units_(units) {}

  /// Takes the next entry, valid until the next call; null at the end. Throws Error(corrupt). Units
  /// are not compared with their checks.
  const PartEntry* next();

 private:
  bool by_record_;
  const SlottedUnits& units_;
  std::uint64_t rank_ = 0;
  PartEntry entry_;
  std::vector<std::uint32_t> bumped_;
  std::vector<std::uint16_t> fingerprints_;
};

}  // namespace crivo::records
