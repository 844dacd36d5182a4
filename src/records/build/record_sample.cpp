// SPDX-License-Identifier: Apache-2.0
#include "records/build/record_sample.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/memory_limit.hpp"
#include "records/build/encoding.hpp"
#include "records/limits.hpp"

namespace crivo::records {

namespace {

constexpr std::uint64_t kSegmentBytes = std::uint64_t{1} << 20;
constexpr unsigned kMostSegmentBits = 14;

// The records that are looked at. Of a codec without a dictionary some bytes tell how long records
// are. Where one is trained, it needs both many bytes and, as some records are far longer than
// most, many records.
constexpr std::uint64_t kLengthBytes = std::uint64_t{1} << 18;
constexpr std::uint64_t kEnoughBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kEnoughRecords = std::uint64_t{1} << 14;
constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;

// One record in so many is no part of what codecs are trained on, but of what judges them.
constexpr std::uint64_t kJudgeInterval = 8;
constexpr std::uint64_t kJudgeBytes = std::uint64_t{4} << 20;

}  // namespace

RecordSample::RecordSample(const CodecRequest& request)
    : request_(request),
      pieces_(builder_of(CodecId::tokens16).sample_bytes),
      blocks_(request.codec ? request.block_bytes : block_for(request.goal),
              builder_of(CodecId::zstd).sample_bytes),
      judges_(kJudgeBytes) {}

bool RecordSample::is_full() const noexcept {
  if (request_.codec == CodecId::none) return looked_at_ >= kLengthBytes;
  if (request_.codec == CodecId::zstd && blocks_.is_full()) return true;
  return looked_at_ >= kMostBytes || (looked_at_ >= kEnoughBytes && records_ >= kEnoughRecords);
}

bool RecordSample::is_judge() const noexcept {
  return !request_.codec && records_ % kJudgeInterval == kJudgeInterval - 1;
}

void RecordSample::add(std::string_view key, std::string_view record) {
  check_limits(key, record);
  if (request_.keys_apart) key = {};
  const auto may_be = [&](CodecId id) { return request_.codec.value_or(id) == id; };
  if (is_judge()) {
    judges_.add(key, record);
  } else {
    if (may_be(CodecId::tokens12) || may_be(CodecId::tokens16)) pieces_.add(key, record);
    if (may_be(CodecId::zstd) && !blocks_.is_full()) blocks_.add(key, record);
  }
  looked_at_ += key.size() + record.size();
  ++records_;
}

std::uint64_t RecordSample::encode(const RecordCoding& coding) const {
  if (coding.codec == CodecId::none) return 0;
  const UnitSample units = coding.type().by_record ? pieces_.units() : blocks_.units();
  (void)encoded_bytes(units, *coding.open());
  return units.bytes.size();
}

TrainedCodec RecordSample::trained(double share) const {
  if (!request_.codec) {
    return choose_codec({pieces_.units(), blocks_.units(), judges_}, share, request_.goal);
  }
  const CodecType& type = codec_type(*request_.codec);
  return {.codec = type.id,
          .block_bytes = type.by_record ? 0 : request_.block_bytes,
          .dictionary = train(type, {pieces_.units(), blocks_.units(), judges_}, share),
          .candidates = {}};
}

RecordCoding RecordSample::coding(std::uint64_t records) const {
  const double share = records_ == 0 ? 1
                                     : static_cast<double>(std::max(records, records_)) /
                                           static_cast<double>(records_);
  TrainedCodec trained = this->trained(share * static_cast<double>(looked_at_));
  base::give_back_freed_memory();  // which was far more than what encoding takes
  RecordCoding coding;
  coding.codec = trained.codec;
  coding.dictionary = std::move(trained.dictionary);
  coding.block_bytes = trained.block_bytes;
  coding.candidates = std::move(trained.candidates);
  coding.keys_apart = request_.keys_apart;
  if (records_ != 0) {
    coding.usual_bytes = std::max<std::uint64_t>(looked_at_ / records_, kLeastRawRecord);
  }
  coding.segment_bits =
      std::min(kMostSegmentBits, static_cast<unsigned>(std::bit_width(
                                     kSegmentBytes / std::min(coding.usual_bytes, kSegmentBytes))));
  return coding;
}

RecordCoding plan_coding(const CodecRequest& request, std::uint64_t records,
                         const RecordSource& source, Duplicates duplicates) {
  // Where repeats are refused, the function's build finds all of them, and says where they stand.
  if (duplicates == Duplicates::refuse) duplicates = Duplicates::keep_first;
  RecordSample sample(request);
  RecordBatch batch;
  batch.fold(duplicates);
  base::Bytes room;
  const unsigned bits = source.piece_bits();
  for (std::uint64_t piece = 0; piece >> bits == 0 && !sample.is_full(); ++piece) {
    batch.clear();
    source.read(bits, piece, batch);
    batch.sort(duplicates);
    for (std::size_t i = 0; i < batch.size() && !sample.is_full(); ++i) {
      const std::string_view pair = batch.pair(batch[i], room);
      sample.add(pair.substr(0, batch[i].key_size()), pair.substr(batch[i].key_size()));
    }
  }
  return sample.coding(records);
}

}  // namespace crivo::records
