// SPDX-License-Identifier: Apache-2.0
#include "records/build/part_records.hpp"

#include <algorithm>
#include <string_view>

#include "base/bytes.hpp"
#include "crivo/error.hpp"
#include "records/block.hpp"

namespace crivo::records {

namespace {

[[noreturn]] void fail_records() {
  throw Error(ErrorKind::corrupt, "damaged: its records are malformed");
}

/// Takes the places of bumped keys off the end of a raw block, where it has any. False if the block
/// is malformed.
bool take_bumped_of(base::ByteView& block, std::uint32_t records,
                    std::vector<std::uint32_t>& bumped) {
  base::ByteView rest = block;
  std::string_view key;
  std::string_view record;
  for (std::uint32_t i = 0; i < records; ++i) {
    if (!take_raw_record(rest, key, record)) return false;
  }
  const base::ByteView raw = block.first(block.size() - rest.size());
  while (!rest.empty()) {
    if (!take_bumped(rest, 1, records, bumped)) return false;
  }
  block = raw;
  return true;
}

}  // namespace

void PartRecordsWriter::add_entry(const PartEntry& entry) {
  if (by_record_ && !entry.bumped.empty()) {
    slots_.add_member(0);
    ++ranks_;
    return;
  }
  unit_.resize(kUnitCheckSize);
  if (!entry.bumped.empty()) base::append_varint(unit_, 2 * entry.records);
  unit_.insert(unit_.end(), entry.bytes.begin(), entry.bytes.end());
  append_bumped_numbers(unit_, entry.bumped);
  base::store_le(unit_.data(), check_of_(base::ByteView(unit_).subspan(kUnitCheckSize), ranks_));
  auto bumped_key = entry.bumped.begin();
  auto fingerprint = entry.fingerprints.begin();
  for (std::uint32_t i = 0; i < entry.records; ++i) {
    std::uint16_t own = 0;
    if (bumped_key != entry.bumped.end() && *bumped_key == i) {
      ++bumped_key;
    } else {
      own = *fingerprint++;
    }
    if (i == 0) {
      slots_.add_unit(own, unit_);
    } else {
      slots_.add_member(own);
    }
  }
  ranks_ += entry.records;
}

std::uint64_t PartRecordsWriter::finish() {
  slots_.finish();
  return ranks_;
}

const PartEntry* PartRecordsReader::next() {
  if (rank_ == units_.records()) return nullptr;
  const std::uint64_t first = rank_++;
  const SlotEntry slot = units_.entry(first);
  const base::ByteView unit = units_.unit_at(slot);
  fingerprints_.clear();
  bumped_.clear();
  entry_ = {};
  if (by_record_ && slot.size == 0) {
    bumped_.push_back(0);
    entry_.bumped = bumped_;
    return &entry_;
  }
  if (unit.size() <= kUnitCheckSize) fail_records();
  entry_.bytes = unit.subspan(kUnitCheckSize);
  if (!by_record_) {
    while (rank_ != units_.records() && units_.entry(rank_).size == 0) ++rank_;
    if (rank_ - first > kMostInEntry) fail_records();
    entry_.records = static_cast<std::uint32_t>(rank_ - first);
    bool may_have_bumped = false;
    for (std::uint64_t rank = first; rank != rank_; ++rank)
      may_have_bumped = may_have_bumped || units_.fingerprint(rank) == 0;
    std::uint32_t head = 0;
    base::ByteView raw = entry_.bytes;
    if (!base::take_varint(raw, head) || head / 2 != entry_.records) fail_records();
    if (may_have_bumped && head % 2 == 0) {
      if (!take_bumped_of(raw, entry_.records, bumped_)) fail_records();
      if (!bumped_.empty()) entry_.bytes = raw;
    }
  }
  auto bumped_key = bumped_.begin();
  for (std::uint64_t rank = first; rank != rank_; ++rank) {
    if (bumped_key != bumped_.end() && *bumped_key == rank - first) {
      ++bumped_key;
    } else {
      fingerprints_.push_back(units_.fingerprint(rank));
    }
  }
  entry_.bumped = bumped_;
  entry_.fingerprints = fingerprints_;
  return &entry_;
}

}  // namespace crivo::records
