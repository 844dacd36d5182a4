// SPDX-License-Identifier: Apache-2.0
/// A block: the records of consecutive ranks, which are compressed and decompressed together.
///
/// Raw (uncompressed) bytes: for each record the key's length and the record's length as varints,
/// then the key, then the record.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "records/limits.hpp"

namespace crivo::records {

/// The most bytes that a raw block can have: one record at both limits, and its two lengths.
inline constexpr std::uint64_t kMaxRawBlock = kMaxKeyBytes + kMaxRecordBytes + 3 + 4;

/// No record takes less in a raw block.
inline constexpr std::uint64_t kLeastRawRecord = 2;

/// The bytes that a record takes in a raw block. The record is within the limits.
inline std::uint64_t raw_record_size(std::size_t key_size, std::size_t record_size) noexcept {
  return base::varint_size(static_cast<std::uint32_t>(key_size)) +
         base::varint_size(static_cast<std::uint32_t>(record_size)) + key_size + record_size;
}
inline std::uint64_t raw_record_size(std::string_view key, std::string_view record) noexcept {
  return raw_record_size(key.size(), record.size());
}

/// Appends the sizes that stand before the key and the record.
inline void append_raw_sizes(base::Bytes& block, std::size_t key_size, std::size_t record_size) {
  base::append_varint(block, static_cast<std::uint32_t>(key_size));
  base::append_varint(block, static_cast<std::uint32_t>(record_size));
}

inline void append_raw_record(base::Bytes& block, std::string_view key, std::string_view record) {
  append_raw_sizes(block, key.size(), record.size());
  const base::ByteView key_bytes = base::as_bytes(key);
  const base::ByteView record_bytes = base::as_bytes(record);
  block.insert(block.end(), key_bytes.begin(), key_bytes.end());
  block.insert(block.end(), record_bytes.begin(), record_bytes.end());
}

/// Cuts records into blocks: a block is closed before the record that would make it longer than
/// asked; only a single record makes a longer one.
class BlockCutter {
 public:
  explicit BlockCutter(std::uint64_t most) : most_(most) {}

  bool begins(std::string_view key, std::string_view record) noexcept {
    return begins(raw_record_size(key, record));
  }

  /// Whether a block begins with the next record, which takes so many bytes, as the first does.
  bool begins(std::uint64_t size) noexcept {
    const bool begins = size_ == 0 || size_ + size > most_;
    size_ = begins ? size : size_ + size;
    return begins;
  }

 private:
  std::uint64_t most_;
  std::uint64_t size_ = 0;  // of the open block; each record has two bytes at least
};

/// Takes a record off the front of a raw block; false if the block is malformed.
inline bool take_raw_record(base::ByteView& block, std::string_view& key,
                            std::string_view& record) noexcept {
  std::uint32_t key_size = 0;
  std::uint32_t record_size = 0;
  if (!base::take_varint(block, key_size) || !base::take_varint(block, record_size)) return false;
  if (block.size() < std::uint64_t{key_size} + record_size) return false;
  key = base::as_text(block.first(key_size));
  record = base::as_text(block.subspan(key_size, record_size));
  block = block.subspan(std::size_t{key_size} + record_size);
  return true;
}

}  // namespace crivo::records
