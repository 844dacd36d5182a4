// SPDX-License-Identifier: Apache-2.0
/// The entries of keys that a table has the ranks of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"
#include "records/build/rank_table.hpp"
#include "records/build/record_batch.hpp"

namespace crivo::records {

/// The entries of some keys of the table, in memory that it keeps.
class TableRecords {
 public:
  /// `usual_bytes` are those of most records.
  TableRecords(const RecordSource& source, Duplicates duplicates, const RankTable& table,
               std::uint64_t usual_bytes)
      : source_(source),
        duplicates_(duplicates),
        table_(table),
        group_keys_(
            std::clamp<std::uint64_t>(kGroupBytes / entry_bytes(usual_bytes), 1, kMostGroupKeys)) {
    batch_.fold(duplicates);
  }

  /// Returns the memory that one has to read a range of so many keys, if most records have
  /// `usual_bytes` and entries are copied.
  static std::uint64_t bytes_at_hand(std::uint64_t keys, std::uint64_t usual_bytes) noexcept {
    return keys * entry_bytes(usual_bytes) + 2 * kGroupBytes;
  }

  const RecordBatch& batch() const noexcept { return batch_; }

  /// Calls visit(key, rank, i) for the keys from `begin` to before `end`, of which there are some,
  /// where i is the record in the batch.
  template <typename Visit>
  void read(std::uint64_t begin, std::uint64_t end, const Visit& visit) {
    ranks_.resize(end - begin);
    table_.read(begin, ranks_);
    if (begin < first_key_ || end > end_key_) load(begin, end);
    for (std::uint64_t key = begin; key < end; ++key)
      visit(key, ranks_[key - begin], key - first_key_);
  }

 private:
  /// One reads and puts in order so much at a time, of cells that are small.
  static constexpr std::uint64_t kMostGroupKeys = std::uint64_t{1} << 13;
  static constexpr std::uint64_t kGroupBytes = std::uint64_t{1} << 20;

  /// Returns the memory of an entry and its place.
  static std::uint64_t entry_bytes(std::uint64_t usual_bytes) noexcept {
    constexpr std::uint64_t kPlace = 16;
    constexpr std::uint64_t kFarPair = 128;  // most keys, and where the record is
    const std::uint64_t near = usual_bytes < RecordEntry::kLeastFar ? usual_bytes : kFarPair;
    return RecordEntry::kHeaderBytes + near + kPlace;
  }

  /// Loads the cells that these keys are in; and those behind them, as long as that is little: the
  /// keys of the next ranks are about the same, where records are long.
  void load(std::uint64_t begin, std::uint64_t end) {
    batch_.clear();
    const std::size_t cells = table_.cells();
    std::size_t next = table_.cell_of(begin);
    first_key_ = end_key_ = table_.cell(next).first_key;
    while (next != cells && (end_key_ < end || (batch_.size() < kMostGroupKeys &&
                                                batch_.room_bytes() < kGroupBytes))) {
      const std::size_t first = next;
      std::uint64_t keys = 0;
      do {
        keys += table_.cell(next++).keys;
      } while (next != cells && keys + table_.cell(next).keys <= group_keys_);
      load_cells(first, next);
      end_key_ += keys;
    }
  }

  void load_cells(std::size_t first, std::size_t end) {
    std::size_t record = batch_.size();
    const std::uint64_t index = table_.cell(first).index;
    source_.read(table_.cell_bits(), index, index + (end - first), batch_);
    batch_.sort(duplicates_);
    for (; first != end; ++first) {
      const RankTable::Cell cell = table_.cell(first);
      const auto is_in_cell = [&](std::size_t i) {
        return i < batch_.size() &&
               base::top_bits(batch_.half(i), table_.cell_bits()) == cell.index;
      };
      const std::size_t past = record + cell.keys;
      if (cell.keys != 0 && !(is_in_cell(record) && is_in_cell(past - 1))) fail_other_keys();
      record = past;
    }
    if (record != batch_.size()) fail_other_keys();
  }

  [[noreturn]] static void fail_other_keys() {
    throw Error(ErrorKind::bad_input,
                "the records do not match the keys; perhaps two keys are equal");
  }

  const RecordSource& source_;
  Duplicates duplicates_;
  const RankTable& table_;
  std::uint64_t group_keys_;
  RecordBatch batch_;
  std::uint64_t first_key_ = 0;  ///< of those in the batch
  std::uint64_t end_key_ = 0;
  std::vector<std::uint32_t> ranks_;  // of the keys that are read
};

}  // namespace crivo::records
