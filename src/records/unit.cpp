// SPDX-License-Identifier: Apache-2.0
#include "records/unit.hpp"

#include <algorithm>
#include <string>

#include "base/bytes.hpp"
#include "records/block.hpp"

namespace crivo::records {

namespace {

/// Whether `bytes` begin with the head of a unit of a key of so many bytes; whether it is encoded.
/// How many bytes are compared follows from the key.
bool takes_head(base::ByteView& bytes, std::size_t key_size, bool& encoded) noexcept {
  constexpr std::size_t kMostKey = 0x2000;  // of a head of two bytes
  const std::size_t size = key_size < 0x40 ? 1 : 2;
  if (key_size >= kMostKey || bytes.size() < 2) return false;
  const std::size_t raw_head =
      size == 1 ? 2 * key_size : (2 * key_size & 0x7f) | 0x80 | 2 * key_size >> 7 << 8;
  const std::size_t found =
      base::load_le<std::uint16_t>(bytes.data()) & (size == 1 ? 0xff : 0xffff);
  encoded = (found & 1) != 0;
  bytes = bytes.subspan(size);
  return (found & ~std::size_t{1}) == raw_head;
}

}  // namespace

UnitReader::UnitReader(const CodecType& type, const Codec& codec, std::uint64_t longest_raw)
    : check_of_(hashing::crc32c()),
      by_record_(type.by_record),
      decoder_(codec.decoder(longest_raw)),
      block_(codec.block_reader(longest_raw)) {}

bool UnitReader::open(base::ByteView stored, std::uint64_t first_rank) noexcept {
  records_ = 0;
  taken_ = 0;
  if (stored.size() <= kUnitCheckSize) return false;
  base::ByteView bytes = stored.subspan(kUnitCheckSize);
  std::uint32_t head = 0;
  if (check_of_(bytes, first_rank) != base::load_le<std::uint32_t>(stored.data()) ||
      !base::take_varint(bytes, head)) {
    return false;
  }
  const bool encoded = head % 2 != 0;
  reads_block_ = encoded && block_ != nullptr;
  if (reads_block_) {
    if (!block_->open(bytes, head / 2)) return false;
    records_ = head / 2;
    return true;
  }
  if (encoded && (decoder_ == nullptr || !decoder_->decode(bytes, raw_))) return false;
  if (!encoded) raw_ = bytes;
  if (by_record_) {
    key_size_ = head / 2;
    if (key_size_ > raw_.size()) return false;
    records_ = 1;
  } else {
    records_ = head / 2;
  }
  rewind();
  return true;
}

// A lookup waits for a slot, then for a unit. The next one's first wait begins meanwhile if the
// processor's window of some hundred instructions reaches it: so as few as can be are between.
Lookup UnitReader::find(base::ByteView stored, std::uint64_t rank, std::string_view key) noexcept {
  base::ByteView bytes = stored.subspan(std::min(kUnitCheckSize, stored.size()));
  const base::ByteView checked = bytes;
  bool encoded = false;
  if (!takes_head(bytes, key.size(), encoded)) [[unlikely]]
    return find_opened(stored, rank, key);
  records_ = 0;
  if (check_of_(checked, rank) != base::load_le<std::uint32_t>(stored.data()) ||
      (encoded && (decoder_ == nullptr || !decoder_->decode(bytes, bytes))) ||
      bytes.size() < key.size()) {
    return {Outcome::damaged, {}};
  }
  const std::string_view pair = base::as_text(bytes);
  if (std::char_traits<char>::compare(pair.data(), key.data(), key.size()) != 0) return {};
  return {Outcome::found, pair.substr(key.size())};
}

Lookup UnitReader::find_opened(base::ByteView stored, std::uint64_t rank,
                               std::string_view key) noexcept {
  std::string_view found;
  std::string_view record;
  if (!open(stored, rank) || !take(found, record)) return {Outcome::damaged, {}};
  if (found != key) return {};
  return {Outcome::found, record};
}

void UnitReader::rewind() noexcept {
  taken_ = 0;
  rest_ = raw_;
}

bool UnitReader::go_to(std::uint32_t number) noexcept {
  if (!reads_block_) {
    if (number < taken_) rewind();
    std::string_view key;
    std::string_view record;
    while (taken_ < number && take(key, record)) {
    }
    return taken_ == number;
  }
  taken_ = number;
  return number <= records_;
}

bool UnitReader::take(std::string_view& key, std::string_view& record) noexcept {
  if (taken_ == records_) return false;
  if (reads_block_) {
    key = {};
    return block_->read(taken_++, record);
  }
  if (by_record_) {
    key = base::as_text(rest_.first(key_size_));
    record = base::as_text(rest_.subspan(key_size_));
    rest_ = {};
  } else if (!take_raw_record(rest_, key, record)) {
    return false;
  }
  ++taken_;
  return true;
}

}  // namespace crivo::records
