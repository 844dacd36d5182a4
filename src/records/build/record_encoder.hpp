// SPDX-License-Identifier: Apache-2.0
/// Records in rank order to stored units in rank order, for every backend's writer: of parts, whose
/// units are encoded but for bumped keys' records, and of records themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "hashing/crc32c.hpp"
#include "records/build/encoding.hpp"
#include "records/build/part_body.hpp"
#include "records/build/record_sample.hpp"
#include "records/codec.hpp"
#include "records/unit.hpp"

namespace crivo::records {

/// Writes units; one a thread.
class UnitWriter {
 public:
  explicit UnitWriter(const Encoding& encoding);

  /// Appends the unit of these raw bytes to `stored`; `x` as above. The records are within the
  /// limits. Throws Error(io).
  void append(std::uint64_t first_rank, std::uint32_t x, base::ByteView raw, base::Bytes& stored);
  /// The same without the check.
  void append_unchecked(std::uint32_t x, base::ByteView raw, base::Bytes& stored);
  /// Whether units may be other than raw.
  bool encodes() const noexcept { return encoder_ != nullptr; }
  /// Sets the check, with which it begins, of a unit that is else whole.
  void set_check(std::span<std::byte> unit, std::uint64_t first_rank) const noexcept;

 private:
  hashing::Crc32c check_of_;
  std::unique_ptr<Encoder> encoder_;
};

/// A unit that is to be stored.
struct EncodedUnit {
  std::uint64_t first_rank = 0;
  std::uint32_t records = 0;
  base::ByteView stored;  ///< see unit.hpp
  /// The fingerprint of each record's key: the low bits of the first half of its hash.
  std::span<const std::uint16_t> fingerprints{};
};

/// A key with its record, and its hash's first half.
struct HalvedRecord {
  std::uint64_t half = 0;
  std::string_view key;
  std::string_view record;
};

/// Puts units together on all threads. They depend on the records and the coding alone. Memory: a
/// few MB, or a few times the longest record if that is more.
class RecordEncoder {
 public:
  /// Gets the units in rank order, many at a time, on the thread that calls append() or finish();
  /// what they refer to is valid during the call.
  using Sink = std::function<void(std::span<const EncodedUnit> units)>;
  /// The record of a rank that a part has none for, valid until the next call; ranks ascend.
  using NextBumped = std::function<HalvedRecord(std::uint64_t rank)>;

  RecordEncoder(const RecordCoding& coding, unsigned threads, Sink sink);
  ~RecordEncoder();
  RecordEncoder(const RecordEncoder&) = delete;
  RecordEncoder& operator=(const RecordEncoder&) = delete;

  /// The rank of the record to come; 0 at first.
  std::uint64_t next_rank() const noexcept;
  /// Adds the record of the next rank. Throws Error(bad_input) for a key or record over the limits,
  /// Error(io) if memory runs out, and what the sink throws; after any, only destruction.
  void append(const HalvedRecord& record);
  /// Adds the ranks of an entry of a part, which may come from a file: Error(corrupt) if it is
  /// malformed. What is in its unit is not looked at. Throws what append() does.
  void append_entry(const PartEntry& entry, const NextBumped& bumped_key);
  /// Notes the longest of parts' units, as RecordPart has it.
  void note_longest(std::uint64_t longest_raw) noexcept;
  /// Encodes what is left; the description of what was done. Last call.
  CodecSection finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace crivo::records
