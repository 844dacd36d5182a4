// SPDX-License-Identifier: Apache-2.0
#include "records/build/record_encoder.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "records/block.hpp"
#include "records/limits.hpp"
#include "records/lookup.hpp"
#include "records/unit.hpp"

namespace crivo::records {

namespace {

// Units are put together when so many bytes have come, a few of each unit among them, since some
// have no others: enough that starting the threads costs little.
constexpr std::size_t kBesideUnit = 64;
constexpr std::size_t kBatchBytes = std::size_t{1} << 20;
// A thread takes so many bytes of them at a time.
constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
// A longer output buffer is not kept for the next batch.
constexpr std::size_t kKeptCapacity = 2 * kPieceBytes;

[[noreturn]] void fail_part() {
  throw Error(ErrorKind::corrupt, "damaged: its records are malformed");
}

}  // namespace

class RecordEncoder::Impl {
 public:
  Impl(const RecordCoding& coding, unsigned threads, Sink sink)
      : threads_(std::max(threads, 1U)),
        sink_(std::move(sink)),
        by_record_(coding.type().by_record),
        keys_apart_(coding.keys_apart),
        cutter_(coding.block_bytes),
        section_(coding.section()) {
    encoding_ = builder_of(section_.codec).open(section_.dictionary, coding.effort);
    for (unsigned t = 0; t < threads_; ++t) writers_.emplace_back(*encoding_);
  }

  std::uint64_t next_rank() const noexcept { return next_rank_; }

  void append(const HalvedRecord& record) {
    check_limits(record.key, record.record);
    const std::string_view key = keys_apart_ ? std::string_view() : record.key;
    if (by_record_ || cutter_.begins(key, record.record)) {
      begin_unit(false, static_cast<std::uint32_t>(key.size()));
      if (by_record_ && keys_apart_) units_.back().half = record.half;
    }
    add_raw({record.half, key, record.record});
  }

  void append_entry(const PartEntry& entry, const NextBumped& bumped_key) {
    if (entry.bumped.empty()) {
      begin_unit(true, 0);
      raw_.resize(raw_.size() + kUnitCheckSize);
      raw_.insert(raw_.end(), entry.bytes.begin(), entry.bytes.end());
      if (entry.fingerprints.size() != entry.records) fail_part();
      fingerprints_.insert(fingerprints_.end(), entry.fingerprints.begin(),
                           entry.fingerprints.end());
      units_.back().records = entry.records;
      next_rank_ += entry.records;
    } else if (by_record_) {
      const HalvedRecord record = bumped_key(next_rank_);
      begin_unit(false, static_cast<std::uint32_t>(record.key.size()));
      add_raw(record);
    } else {
      fill_block(entry, bumped_key);
    }
    cutter_ = BlockCutter(section_.block_bytes);  // no block goes on behind a part
  }

  void note_longest(std::uint64_t longest_raw) noexcept {
    section_.longest_raw = std::max(section_.longest_raw, longest_raw);
  }

  CodecSection finish() {
    encode_batch();
    return std::move(section_);
  }

 private:
  struct Unit {
    std::size_t begin;              // in raw_
    std::size_t first_fingerprint;  // in fingerprints_
    std::uint32_t records;
    std::uint32_t key_size;  // of the first
    bool is_encoded;         // but for its check, which raw_ has room for
    std::uint64_t half = 0;  // that its check has beside the rank, where the key is apart
  };
  // Units that one thread encodes, one after the other.
  struct Piece {
    std::size_t first_unit = 0;
    std::size_t end_unit = 0;
    std::uint64_t first_rank = 0;
    base::Bytes stored;
    std::vector<std::size_t> ends;  // of those that were encoded here, in `stored`
  };

  void begin_unit(bool is_encoded, std::uint32_t key_size) {
    if (raw_.size() + kBesideUnit * units_.size() >= kBatchBytes) encode_batch();
    units_.push_back({raw_.size(), fingerprints_.size(), 0, key_size, is_encoded, 0});
  }

  // Adds a record to the unit that was begun last.
  void add_raw(const HalvedRecord& record) {
    if (by_record_) {
      for (const base::ByteView text : {base::as_bytes(record.key), base::as_bytes(record.record)})
        raw_.insert(raw_.end(), text.begin(), text.end());
    } else {
      append_raw_record(raw_, record.key, record.record);
    }
    fingerprints_.push_back(fingerprint_of(record.half));
    ++units_.back().records;
    ++next_rank_;
  }

  // Adds the block of the entry, with its bumped keys.
  void fill_block(const PartEntry& entry, const NextBumped& bumped_key) {
    begin_unit(false, 0);
    auto next_bumped = entry.bumped.begin();
    auto fingerprint = entry.fingerprints.begin();
    base::ByteView rest = entry.bytes;
    for (std::uint32_t i = 0; i < entry.records; ++i) {
      const base::ByteView before = rest;
      std::string_view key;
      std::string_view record;
      if (!take_raw_record(rest, key, record)) fail_part();
      if (next_bumped != entry.bumped.end() && *next_bumped == i) {
        if (!key.empty() || !record.empty()) fail_part();
        add_raw(bumped_key(next_rank_));
        ++next_bumped;
        continue;
      }
      const base::ByteView raw = before.first(before.size() - rest.size());
      raw_.insert(raw_.end(), raw.begin(), raw.end());
      if (fingerprint == entry.fingerprints.end()) fail_part();
      fingerprints_.push_back(*fingerprint++);
      ++units_.back().records;
      ++next_rank_;
    }
    if (!rest.empty()) fail_part();
  }

  std::span<std::byte> raw_of(std::size_t unit) noexcept {
    const std::size_t end = unit + 1 == units_.size() ? raw_.size() : units_[unit + 1].begin;
    return std::span(raw_).subspan(units_[unit].begin, end - units_[unit].begin);
  }

  // Encodes all that came on all threads, then hands it on in order.
  void encode_batch() {
    const std::size_t pieces = cut_pieces();
    std::atomic<std::size_t> next{0};
    base::run_threads(pieces <= 1 ? 1 : threads_, [&](unsigned thread) {
      for (std::size_t p = next++; p < pieces; p = next++) encode(pieces_[p], writers_[thread]);
    });
    encoded_.clear();
    for (std::size_t p = 0; p < pieces; ++p) collect(pieces_[p]);
    if (!encoded_.empty()) sink_(encoded_);
    for (std::size_t p = 0; p < pieces; ++p) {
      if (pieces_[p].stored.capacity() > kKeptCapacity) base::free_memory(pieces_[p].stored);
    }
    units_.clear();
    raw_.clear();
    fingerprints_.clear();
  }

  // Their number.
  std::size_t cut_pieces() {
    std::size_t pieces = 0;
    for (std::size_t unit = 0; unit < units_.size(); ++pieces) {
      if (pieces_.size() == pieces) pieces_.emplace_back();
      Piece& piece = pieces_[pieces];
      piece.first_unit = unit;
      piece.first_rank = cut_rank_;
      for (std::size_t size = 0; unit < units_.size() && size < kPieceBytes; ++unit) {
        size += raw_of(unit).size() + kBesideUnit;
        cut_rank_ += units_[unit].records;
      }
      piece.end_unit = unit;
    }
    return pieces;
  }

  void encode(Piece& piece, UnitWriter& writer) {
    piece.stored.clear();
    piece.ends.clear();
    std::uint64_t rank = piece.first_rank;
    for (std::size_t u = piece.first_unit; u < piece.end_unit; ++u) {
      const Unit& unit = units_[u];
      if (unit.is_encoded) {
        writer.set_check(raw_of(u), rank);
      } else {
        writer.append(rank + unit.half, by_record_ ? unit.key_size : unit.records, raw_of(u),
                      piece.stored);
        piece.ends.push_back(piece.stored.size());
      }
      rank += unit.records;
    }
  }

  void collect(const Piece& piece) {
    std::uint64_t rank = piece.first_rank;
    std::size_t begin = 0;
    auto end = piece.ends.begin();
    for (std::size_t u = piece.first_unit; u < piece.end_unit; ++u) {
      const Unit& unit = units_[u];
      base::ByteView stored = raw_of(u);
      if (!unit.is_encoded) {
        note_longest(stored.size());
        stored = base::ByteView(piece.stored).subspan(begin, *end - begin);
        begin = *end++;
      }
      encoded_.push_back({rank, unit.records, stored,
                          std::span(fingerprints_).subspan(unit.first_fingerprint, unit.records)});
      rank += unit.records;
    }
  }

  unsigned threads_;
  Sink sink_;
  bool by_record_;
  bool keys_apart_;
  BlockCutter cutter_;

  base::Bytes raw_;  // of the units to come
  std::vector<Unit> units_;
  std::vector<std::uint16_t> fingerprints_;  // of their records
  std::uint64_t next_rank_ = 0;
  std::uint64_t cut_rank_ = 0;  // of the pieces to come

  CodecSection section_;
  std::unique_ptr<const Encoding> encoding_;
  std::vector<UnitWriter> writers_;  // one a thread
  std::vector<Piece> pieces_;        // of a batch; kept for their memory
  std::vector<EncodedUnit> encoded_;
};

RecordEncoder::RecordEncoder(const RecordCoding& coding, unsigned threads, Sink sink)
    : impl_(std::make_unique<Impl>(coding, threads, std::move(sink))) {}

RecordEncoder::~RecordEncoder() = default;

std::uint64_t RecordEncoder::next_rank() const noexcept {
  return impl_->next_rank();
}

void RecordEncoder::append(const HalvedRecord& record) {
  impl_->append(record);
}

void RecordEncoder::append_entry(const PartEntry& entry, const NextBumped& bumped_key) {
  impl_->append_entry(entry, bumped_key);
}

void RecordEncoder::note_longest(std::uint64_t longest_raw) noexcept {
  impl_->note_longest(longest_raw);
}

CodecSection RecordEncoder::finish() {
  return impl_->finish();
}

UnitWriter::UnitWriter(const Encoding& encoding)
    : check_of_(hashing::crc32c()), encoder_(encoding.encoder()) {}

void UnitWriter::set_check(std::span<std::byte> unit, std::uint64_t first_rank) const noexcept {
  base::store_le(unit.data(), check_of_(unit.subspan(kUnitCheckSize), first_rank));
}

void UnitWriter::append(std::uint64_t first_rank, std::uint32_t x, base::ByteView raw,
                        base::Bytes& stored) {
  const std::size_t begin = stored.size();
  stored.resize(begin + kUnitCheckSize);
  append_unchecked(x, raw, stored);
  set_check(std::span(stored).subspan(begin), first_rank);
}

void UnitWriter::append_unchecked(std::uint32_t x, base::ByteView raw, base::Bytes& stored) {
  const std::size_t begin = stored.size();
  base::append_varint(stored, 2 * x + 1);
  if (encoder_ == nullptr || !encoder_->encode(raw, stored)) {
    stored.resize(begin);
    base::append_varint(stored, 2 * x);
    stored.insert(stored.end(), raw.begin(), raw.end());
  }
}

}  // namespace crivo::records
