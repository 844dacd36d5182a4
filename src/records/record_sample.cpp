// SPDX-License-Identifier: Apache-2.0
#include "records/record_sample.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/memory_limit.hpp"
#include "records/limits.hpp"

namespace crivo::records {

namespace {

constexpr std::uint64_t kSegmentBytes = std::uint64_t{1} << 20;
constexpr unsigned kMostSegmentBits = 14;

}  // namespace

RecordSample::RecordSample(const CodecRequest& request)
    : request_(request),
      by_record_(!request.codec || codec_type(*request.codec).by_record),
      most_bytes_(request.codec ? codec_type(*request.codec).sample_bytes : choice_sample_bytes()),
      cutter_(request.block_bytes) {
  // Of a codec without a dictionary some records tell how long they are.
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 18;
  most_bytes_ = std::max(most_bytes_, kLeast);
}

void RecordSample::add(std::string_view key, std::string_view record) {
  check_limits(key, record);
  if (by_record_ || cutter_.begins(key, record)) begins_.push_back(raw_.size());
  if (by_record_) {
    for (const base::ByteView text : {base::as_bytes(key), base::as_bytes(record)})
      raw_.insert(raw_.end(), text.begin(), text.end());
    if (!request_.codec) key_sizes_.push_back(static_cast<std::uint32_t>(key.size()));
  } else {
    append_raw_record(raw_, key, record);
  }
  ++records_;
}

std::vector<std::size_t> RecordSample::sizes() const {
  std::vector<std::size_t> sizes(begins_.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = (i + 1 == sizes.size() ? raw_.size() : begins_[i + 1]) - begins_[i];
  }
  return sizes;
}

std::uint64_t RecordSample::encode(const RecordCoding& coding) const {
  if (coding.codec == CodecId::none) return 0;
  const std::vector<std::size_t> sizes = this->sizes();
  (void)encoded_bytes({raw_, sizes}, *coding.type().open(coding.dictionary));
  return raw_.size();
}

RecordCoding RecordSample::coding(std::uint64_t records) const {
  const std::vector<std::size_t> sizes = this->sizes();
  const UnitSample sample{raw_, sizes};
  const double share = records_ == 0 ? 1
                                     : static_cast<double>(std::max(records, records_)) /
                                           static_cast<double>(records_);
  TrainedCodec trained =
      request_.codec ? TrainedCodec{.codec = *request_.codec,
                                    .block_bytes = by_record_ ? 0 : request_.block_bytes,
                                    .dictionary = codec_type(*request_.codec).train(sample, share),
                                    .candidates = {}}
                     : choose_codec({sample, key_sizes_}, share, request_.goal);
  base::give_back_freed_memory();  // which was far more than what encoding takes
  RecordCoding coding;
  coding.codec = trained.codec;
  coding.dictionary = std::move(trained.dictionary);
  coding.block_bytes = trained.block_bytes;
  coding.candidates = std::move(trained.candidates);
  if (records_ != 0) {
    coding.usual_bytes = std::max<std::uint64_t>(raw_.size() / records_, kLeastRawRecord);
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
  const unsigned bits = source.piece_bits();
  for (std::uint64_t piece = 0; piece >> bits == 0 && !sample.is_full(); ++piece) {
    batch.clear();
    source.read(bits, piece, batch);
    batch.sort(duplicates);
    for (std::size_t i = 0; i < batch.size() && !sample.is_full(); ++i)
      sample.add(batch[i].key(), batch[i].record());
  }
  return sample.coding(records);
}

}  // namespace crivo::records
