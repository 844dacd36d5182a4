#include "records/group.hpp"

#include <xxhash.h>

#include "bits/varint.hpp"

namespace crivo::records {

namespace {

constexpr std::size_t kChecksumSize = 8;
constexpr std::size_t kLengthSize = 2;

// Seeding with the rank tells a group or a block that stands in another's place.
std::uint64_t checksum(base::ByteView bytes, std::uint64_t rank) noexcept {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), rank);
}

std::uint64_t entry_size(const StoredBlock& block) noexcept {
  return bits::varint_size(block.records) + bits::varint_size(block.raw_size) +
         bits::varint_size(static_cast<std::uint32_t>(block.stored.size()));
}

}  // namespace

std::uint64_t GroupBuilder::size_with(std::uint64_t records, std::uint64_t blocks,
                                      std::uint64_t entries, std::uint64_t body) const noexcept {
  return kChecksumSize + kLengthSize + bits::varint_size(static_cast<std::uint32_t>(records)) +
         bits::varint_size(static_cast<std::uint32_t>(blocks)) + entries + body;
}

bool GroupBuilder::fits(const StoredBlock& block) const noexcept {
  return size_with(std::uint64_t{records_} + block.records, blocks_.size() + 1,
                   entry_bytes_ + entry_size(block),
                   body_.size() + kChecksumSize + block.stored.size()) <= kGroupTarget;
}

void GroupBuilder::add(const StoredBlock& block, std::uint64_t first_rank) {
  blocks_.push_back(
      {block.records, block.raw_size, static_cast<std::uint32_t>(block.stored.size())});
  records_ += block.records;
  entry_bytes_ += entry_size(block);
  const std::size_t at = body_.size();
  body_.resize(at + kChecksumSize);
  base::store_le(body_.data() + at, checksum(block.stored, first_rank));
  body_.insert(body_.end(), block.stored.begin(), block.stored.end());
}

base::Bytes GroupBuilder::finish(std::uint64_t last_rank) {
  base::Bytes group(kChecksumSize + kLengthSize);
  group.reserve(size_with(records_, blocks_.size(), entry_bytes_, body_.size()));
  bits::append_varint(group, records_);
  bits::append_varint(group, static_cast<std::uint32_t>(blocks_.size()));
  for (const Entry& entry : blocks_) {
    bits::append_varint(group, entry.records);
    bits::append_varint(group, entry.raw_size);
    bits::append_varint(group, entry.stored_size);
  }
  base::store_le(group.data() + kChecksumSize,
                 static_cast<std::uint16_t>(group.size() - kChecksumSize - kLengthSize));
  base::store_le(group.data(), checksum(base::ByteView(group).subspan(kChecksumSize), last_rank));
  group.insert(group.end(), body_.begin(), body_.end());
  blocks_.clear();
  records_ = 0;
  entry_bytes_ = 0;
  body_.clear();
  return group;
}

bool GroupReader::open(base::ByteView group, std::uint64_t last_rank) noexcept {
  if (group.size() < kChecksumSize + kLengthSize) return false;
  const std::size_t length = base::load_le<std::uint16_t>(group.data() + kChecksumSize);
  if (group.size() - kChecksumSize - kLengthSize < length) return false;
  const base::ByteView directory = group.subspan(kChecksumSize, kLengthSize + length);
  if (checksum(directory, last_rank) != base::load_le<std::uint64_t>(group.data())) return false;
  entries_ = directory.subspan(kLengthSize);
  std::uint32_t records = 0;
  if (!bits::take_varint(entries_, records) || !bits::take_varint(entries_, blocks_)) return false;
  if (records == 0 || records - 1 > last_rank) return false;
  last_rank_ = last_rank;
  first_rank_ = last_rank - (records - 1);
  body_ = group.subspan(kChecksumSize + kLengthSize + length);
  return true;
}

bool GroupReader::find(std::uint64_t rank, Block& block) const noexcept {
  if (rank < first_rank_ || rank > last_rank_) return false;
  std::uint64_t skip = rank - first_rank_;  // records
  std::uint64_t offset = 0;
  base::ByteView entries = entries_;
  for (std::uint32_t i = 0; i < blocks_; ++i) {
    StoredBlock& data = block.data;
    std::uint32_t stored_size = 0;
    if (!bits::take_varint(entries, data.records) || !bits::take_varint(entries, data.raw_size) ||
        !bits::take_varint(entries, stored_size)) {
      return false;
    }
    if (skip >= data.records) {
      skip -= data.records;
      offset += kChecksumSize + std::uint64_t{stored_size};
      continue;
    }
    if (offset > body_.size() ||
        body_.size() - offset < kChecksumSize + std::uint64_t{stored_size}) {
      return false;
    }
    block.first_rank = rank - skip;
    data.stored = body_.subspan(offset + kChecksumSize, stored_size);
    return checksum(data.stored, block.first_rank) ==
           base::load_le<std::uint64_t>(body_.data() + offset);
  }
  return false;
}

bool GroupReader::is_complete() const noexcept {
  base::ByteView entries = entries_;
  std::uint64_t records = 0;
  std::uint64_t size = 0;
  for (std::uint32_t i = 0; i < blocks_; ++i) {
    StoredBlock block;
    std::uint32_t stored_size = 0;
    if (!bits::take_varint(entries, block.records) || !bits::take_varint(entries, block.raw_size) ||
        !bits::take_varint(entries, stored_size) || block.records == 0) {
      return false;
    }
    records += block.records;
    size += kChecksumSize + std::uint64_t{stored_size};
  }
  return entries.empty() && records == last_rank_ - first_rank_ + 1 && size == body_.size();
}

}  // namespace crivo::records
