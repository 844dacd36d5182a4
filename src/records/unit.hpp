// SPDX-License-Identifier: Apache-2.0
/// A unit as it is stored, in any backend: what a codec encodes at once, its check, and what tells
/// it from a raw one.
///
/// Bytes: u32 check, the hashing::Crc32c of all that follows and the rank of the unit's first
/// record; varint head: 2 * x + 1 if the unit is encoded, 2 * x if it is raw; the unit's bytes. Of
/// a codec by record x is the key's length, and the raw bytes are the key and the record. Of one by
/// block x is the number of records, and the raw bytes those of block.hpp. The unit's whole length
/// is for the backend to know.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "hashing/crc32c.hpp"
#include "records/codec.hpp"
#include "records/lookup.hpp"

namespace crivo::records {

inline constexpr std::size_t kUnitCheckSize = 4;

/// Reads units, from untrusted bytes; one a thread. All memory is taken at construction.
class UnitReader {
 public:
  /// For units of at most `longest_raw` bytes. `codec` must outlive the reader.
  UnitReader(const CodecType& type, const Codec& codec, std::uint64_t longest_raw);
  /// For those of a file.
  explicit UnitReader(const StoredCodec& stored)
      : UnitReader(stored.type(), stored.codec(), stored.head().longest_raw) {}

  /// Opens the unit that `stored` is, first byte to last, whose first record has rank `first_rank`;
  /// false if it is damaged: wherever the bytes come from, a unit that opens is one that was
  /// written for this rank, but for 1 damaged one in 2^32. Allocates nothing.
  bool open(base::ByteView stored, std::uint64_t first_rank) noexcept;
  /// Finds, with a codec by record, the record of the unit that `stored` is, the rank's, if its key
  /// is `key`. What open() and take() would find, in fewer steps, none of which waits for the
  /// unit's own bytes to know the next; no unit is open afterwards. Allocates nothing.
  Lookup find(base::ByteView stored, std::uint64_t rank, std::string_view key) noexcept;
  bool by_record() const noexcept { return by_record_; }
  /// Goes to a record of the open unit, by its number from 0 on, which take() takes next; false
  /// if it has not so many, or they are damaged.
  bool go_to(std::uint32_t number) noexcept;
  /// The number of records in the open unit: 1 of a codec by record.
  std::uint32_t records() const noexcept { return records_; }
  /// Takes the open unit's next record; false if it is damaged or has no more. The texts stand in
  /// `stored` where the unit is raw, else in the reader until its next open().
  bool take(std::string_view& key, std::string_view& record) noexcept;
  /// Whether all records have been taken, and nothing is left.
  bool is_finished() const noexcept {
    return taken_ == records_ && (reads_block_ || rest_.empty());
  }

 private:
  /// find() by open() and take().
  Lookup find_opened(base::ByteView stored, std::uint64_t rank, std::string_view key) noexcept;
  /// Goes back to the first record of the open unit.
  void rewind() noexcept;

  hashing::Crc32c check_of_;
  bool by_record_;
  std::unique_ptr<Decoder> decoder_;
  std::unique_ptr<BlockReader> block_;
  bool reads_block_ = false;  ///< the open unit is an encoded block, which that reads
  base::ByteView raw_;        ///< of the open unit
  base::ByteView rest_;       ///< of them
  std::uint32_t key_size_ = 0;
  std::uint32_t records_ = 0;
  std::uint32_t taken_ = 0;
};

}  // namespace crivo::records
