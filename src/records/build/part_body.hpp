// SPDX-License-Identifier: Apache-2.0
/// The records of a part of a store while it is made: its ranks in order, of units that lack
/// nothing but their check, and of places for bumped keys' records. In its file a part has them as
/// part_records.hpp says.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "records/block.hpp"

namespace crivo::records {

/// So many records are in a block at most.
inline constexpr std::uint32_t kMostInEntry = 8192;

/// A unit of a part: views.
struct PartEntry {
  std::uint32_t records = 1;
  std::span<const std::uint32_t> bumped{};        ///< their numbers in the unit, ascending
  std::span<const std::uint16_t> fingerprints{};  ///< of the others
  /// Without bumped keys the unit but for its check. Else of a codec by record nothing, and of one
  /// by block raw records, which are append_bumped_place() of bumped keys.
  base::ByteView bytes{};
};

/// Appends what raw records have in a bumped key's place: an empty key and an empty record.
inline void append_bumped_place(base::Bytes& raw) {
  append_raw_record(raw, {}, {});
}

/// The numbers of a block's bumped keys as varints: of each the records since the one before.
inline void append_bumped_numbers(base::Bytes& bytes, std::span<const std::uint32_t> bumped) {
  std::uint32_t before = 0;
  for (const std::uint32_t bumped_key : bumped) {
    base::append_varint(bytes, bumped_key - before);
    before = bumped_key + 1;
  }
}
/// Takes the next `count` of them, of a block of so many records, off the front; false if they are
/// malformed.
inline bool take_bumped(base::ByteView& bytes, std::uint32_t count, std::uint32_t records,
                        std::vector<std::uint32_t>& bumped) {
  std::uint64_t next = bumped.empty() ? 0 : std::uint64_t{bumped.back()} + 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t skipped = 0;
    if (!base::take_varint(bytes, skipped)) return false;
    next += skipped;
    if (next >= records) return false;
    bumped.push_back(static_cast<std::uint32_t>(next++));
  }
  return true;
}

class PartBody {
 public:
  /// Adds what a codec by record has: a bumped key, or a unit, or what the unit of a raw record is.
  void add_bumped() { sizes_.push_back(0); }
  void add_unit(std::uint16_t fingerprint, base::ByteView unit) {
    add_bytes(unit);
    fingerprints_.push_back(fingerprint);
  }
  /// The raw record is what append(to) appends.
  template <typename Append>
  void add_raw(std::uint16_t fingerprint, std::uint32_t key_size, const Append& append) {
    const std::size_t before = bytes_.size();
    base::append_varint(bytes_, 2 * key_size);
    append(bytes_);
    sizes_.push_back(static_cast<std::uint32_t>(bytes_.size() - before));
    fingerprints_.push_back(fingerprint);
  }
  /// Adds what a codec by block has.
  void add_block(const PartEntry& block) {
    add_bytes(block.bytes);
    blocks_.push_back({block.records, static_cast<std::uint32_t>(block.bumped.size())});
    bumped_.insert(bumped_.end(), block.bumped.begin(), block.bumped.end());
    fingerprints_.insert(fingerprints_.end(), block.fingerprints.begin(), block.fingerprints.end());
  }

  /// Room for raw records of so many bytes in all.
  void reserve(std::size_t records, std::uint64_t bytes) {
    constexpr std::uint64_t kHead = 3;  // of most
    bytes_.reserve(bytes + kHead * records);
    sizes_.reserve(records);
    fingerprints_.reserve(records);
  }

  bool empty() const noexcept { return sizes_.empty(); }
  /// The bytes of all units, but for their checks.
  std::uint64_t bytes() const noexcept { return bytes_.size(); }

  /// Calls use(entry) for all, in order.
  template <typename Use>
  void for_each(const Use& use) const {
    static constexpr std::uint32_t kFirst = 0;
    base::ByteView bytes = bytes_;
    std::span<const std::uint16_t> fingerprints = fingerprints_;
    std::span<const std::uint32_t> bumped = bumped_;
    const auto take = [](auto& from, std::size_t count) {
      const auto taken = from.first(count);
      from = from.subspan(count);
      return taken;
    };
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      PartEntry entry;
      if (!blocks_.empty()) {
        entry.records = blocks_[i].records;
        entry.bumped = take(bumped, blocks_[i].bumped);
      } else if (sizes_[i] == 0) {
        entry.bumped = {&kFirst, 1};
      }
      entry.fingerprints = take(fingerprints, entry.records - entry.bumped.size());
      entry.bytes = take(bytes, sizes_[i]);
      use(entry);
    }
  }

 private:
  struct Block {
    std::uint32_t records;
    std::uint32_t bumped;
  };

  void add_bytes(base::ByteView bytes) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    sizes_.push_back(static_cast<std::uint32_t>(bytes.size()));
  }

  base::Bytes bytes_;  ///< of all units
  std::vector<std::uint32_t> sizes_;
  std::vector<Block> blocks_;  ///< none of a codec by record
  std::vector<std::uint32_t> bumped_;
  std::vector<std::uint16_t> fingerprints_;
};

}  // namespace crivo::records
