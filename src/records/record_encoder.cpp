// SPDX-License-Identifier: Apache-2.0
#include "records/record_encoder.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "base/memory_limit.hpp"
#include "base/parallel.hpp"
#include "records/block.hpp"
#include "records/codec_choice.hpp"
#include "records/limits.hpp"
#include "records/unit.hpp"

namespace crivo::records {

namespace {

// Units are encoded when so many raw bytes have come together: enough that starting the threads
// costs little.
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
// What a thread takes of them at a time.
constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
// A longer output buffer is not kept for the next batch.
constexpr std::size_t kKeptCapacity = 2 * kPieceBytes;

}  // namespace

class RecordEncoder::Impl {
 public:
  Impl(const CodecRequest& request, std::uint64_t records, unsigned threads, Sink sink)
      : request_(request),
        expected_(records),
        threads_(std::max(threads, 1U)),
        sink_(std::move(sink)),
        by_record_(!request.codec || codec_type(*request.codec).by_record),
        cutter_(request.block_bytes),
        sample_bytes_(request.codec ? codec_type(*request.codec).sample_bytes
                                    : choice_sample_bytes()) {
    section_.block_bytes = by_record_ ? 0 : request.block_bytes;
  }

  void append(std::string_view key, std::string_view record) {
    check_limits(key, record);
    if (by_record_ || cutter_.begins(key, record)) {
      if (raw_.size() >= (codec_ ? kBatchBytes : sample_bytes_)) encode_batch();
      units_.push_back({raw_.size(), 0, static_cast<std::uint32_t>(key.size())});
    }
    if (by_record_) {
      for (const base::ByteView text : {base::as_bytes(key), base::as_bytes(record)}) {
        raw_.insert(raw_.end(), text.begin(), text.end());
      }
    } else {
      append_raw_record(raw_, key, record);
    }
    ++units_.back().records;
  }

  CodecSection finish() {
    encode_batch();
    return std::move(section_);
  }

 private:
  struct RawUnit {
    std::size_t begin;  // in raw_
    std::uint32_t records;
    std::uint32_t key_size;  // of the first
  };
  // Units that one thread encodes, one after the other.
  struct Piece {
    std::size_t first_unit = 0;
    std::size_t end_unit = 0;
    std::uint64_t first_rank = 0;
    base::Bytes stored;
    std::vector<std::size_t> ends;  // of the units, in `stored`
  };

  base::ByteView raw_of(std::size_t unit) const noexcept {
    const std::size_t end = unit + 1 == units_.size() ? raw_.size() : units_[unit + 1].begin;
    return base::ByteView(raw_).subspan(units_[unit].begin, end - units_[unit].begin);
  }

  // Encodes all that came on all threads, then hands it on in order.
  void encode_batch() {
    if (!codec_) prepare_codec();
    const std::size_t pieces = cut_pieces();
    std::atomic<std::size_t> next{0};
    base::run_threads(pieces == 1 ? 1 : threads_, [&](unsigned thread) {
      for (std::size_t p = next++; p < pieces; p = next++) encode(pieces_[p], writers_[thread]);
    });
    encoded_.clear();
    for (std::size_t p = 0; p < pieces; ++p) collect(pieces_[p]);
    if (!encoded_.empty()) sink_(encoded_);
    for (std::size_t p = 0; p < pieces; ++p) {
      if (pieces_[p].stored.capacity() > kKeptCapacity) pieces_[p].stored = {};
    }
    units_.clear();
    raw_.clear();
  }

  void prepare_codec() {
    const std::uint64_t records = ranked_in(0, units_.size());
    std::vector<std::size_t> sizes(units_.size());
    for (std::size_t u = 0; u < units_.size(); ++u) sizes[u] = raw_of(u).size();
    const UnitSample sample{raw_, sizes};
    const double share = records == 0 ? 1
                                      : static_cast<double>(std::max(expected_, records)) /
                                            static_cast<double>(records);
    TrainedCodec trained =
        request_.codec
            ? TrainedCodec{*request_.codec, codec_type(*request_.codec).train(sample, share)}
            : choose_codec(sample, share);
    base::give_back_freed_memory();  // which was far more than what encoding takes
    section_.codec = trained.codec;
    section_.dictionary = std::move(trained.dictionary);
    codec_ = section_.type().open(section_.dictionary);
    for (unsigned t = 0; t < threads_; ++t) writers_.emplace_back(*codec_);
  }

  std::uint64_t ranked_in(std::size_t first_unit, std::size_t end_unit) const noexcept {
    std::uint64_t records = 0;
    for (std::size_t u = first_unit; u < end_unit; ++u) records += units_[u].records;
    return records;
  }

  // Their number.
  std::size_t cut_pieces() {
    std::size_t pieces = 0;
    for (std::size_t unit = 0; unit < units_.size(); ++pieces) {
      if (pieces_.size() == pieces) pieces_.emplace_back();
      Piece& piece = pieces_[pieces];
      piece.first_unit = unit;
      piece.first_rank = next_rank_;
      for (std::size_t size = 0; unit < units_.size() && size < kPieceBytes; ++unit) {
        size += raw_of(unit).size();
        next_rank_ += units_[unit].records;
      }
      piece.end_unit = unit;
    }
    return pieces;
  }

  void encode(Piece& piece, UnitWriter& writer) const {
    piece.stored.clear();
    piece.ends.clear();
    std::uint64_t rank = piece.first_rank;
    for (std::size_t u = piece.first_unit; u < piece.end_unit; ++u) {
      const RawUnit& unit = units_[u];
      writer.append_raw(rank, by_record_ ? unit.key_size : unit.records, raw_of(u), piece.stored);
      piece.ends.push_back(piece.stored.size());
      rank += unit.records;
    }
  }

  void collect(const Piece& piece) {
    std::uint64_t rank = piece.first_rank;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < piece.ends.size(); ++i) {
      const std::size_t unit = piece.first_unit + i;
      section_.longest_raw = std::max<std::uint64_t>(section_.longest_raw, raw_of(unit).size());
      const base::ByteView stored =
          base::ByteView(piece.stored).subspan(begin, piece.ends[i] - begin);
      encoded_.push_back({rank, units_[unit].records, stored});
      rank += units_[unit].records;
      begin = piece.ends[i];
    }
  }

  CodecRequest request_;
  std::uint64_t expected_;
  unsigned threads_;
  Sink sink_;
  bool by_record_;
  BlockCutter cutter_;
  std::uint64_t sample_bytes_;

  base::Bytes raw_;  // of the units to come
  std::vector<RawUnit> units_;
  std::uint64_t next_rank_ = 0;  // of the pieces to come

  CodecSection section_;
  std::unique_ptr<const Codec> codec_;
  std::vector<UnitWriter> writers_;  // one a thread
  std::vector<Piece> pieces_;        // of a batch; kept for their memory
  std::vector<EncodedUnit> encoded_;
};

RecordEncoder::RecordEncoder(const CodecRequest& request, std::uint64_t records, unsigned threads,
                             Sink sink)
    : impl_(std::make_unique<Impl>(request, records, threads, std::move(sink))) {}

RecordEncoder::~RecordEncoder() = default;

void RecordEncoder::append(std::string_view key, std::string_view record) {
  impl_->append(key, record);
}

CodecSection RecordEncoder::finish() {
  return impl_->finish();
}

}  // namespace crivo::records
