// SPDX-License-Identifier: Apache-2.0
#include "records/build/neighbour_choice.hpp"

#include <memory>
#include <utility>

namespace crivo::records {

bool NeighbourSample::wants_next() noexcept {
  if (next_++ % interval_ == 0) {
    window_ = 0;
    cutter_ = BlockCutter(kMostBlock);
  }
  return window_ < kWindowBytes;
}

void NeighbourSample::add(std::string_view record) {
  // The front of a long record tells enough.
  record = record.substr(0, kMostBlock);
  window_ += raw_record_size({}, record);
  if (cutter_.begins({}, record)) sizes_.push_back(0);
  append_raw_record(bytes_, {}, record);
  sizes_.back() += raw_record_size({}, record);
}

namespace {

/// Returns what a codec by block would make of all records, as blocks tell that it was not trained
/// on.
CodecTrial tried_in_order(const TrainedCodec& codec, const UnitSample& judges, double all_bytes) {
  const std::unique_ptr<const Encoding> encoding = builder_of(codec.codec).open(codec.dictionary);
  const auto raw = std::max<double>(1, static_cast<double>(judges.bytes.size()));
  const auto stored = static_cast<double>(encoded_bytes(judges, *encoding));
  const double units = std::max<double>(1, static_cast<double>(judges.sizes.size()));
  const double hit_bytes = stored / units;
  return {codec.codec, codec.block_bytes,
          (stored + units * kUnitBytes) * all_bytes / raw +
              static_cast<double>(codec.dictionary.size()),
          hit_cost(codec.codec, raw / units, hit_bytes), hit_bytes};
}

/// Every so many-th block, from the last of the first so many on, or all but these.
struct OwnedSample {
  base::Bytes bytes;
  std::vector<std::size_t> sizes;

  OwnedSample(const UnitSample& all, std::size_t interval, bool judges) {
    base::ByteView rest = all.bytes;
    for (std::size_t i = 0; i < all.sizes.size(); ++i) {
      const base::ByteView block = rest.first(all.sizes[i]);
      rest = rest.subspan(block.size());
      if ((i % interval == interval - 1) != judges) continue;
      bytes.insert(bytes.end(), block.begin(), block.end());
      sizes.push_back(block.size());
    }
  }
  UnitSample units() const noexcept { return {bytes, sizes}; }
};

}  // namespace

void choose_in_order(const CodecRequest& request, const UnitSample& blocks, std::uint64_t records,
                     RecordCoding& coding) {
  const double all_bytes = static_cast<double>(coding.usual_bytes) * static_cast<double>(records);
  constexpr std::size_t kJudgeInterval = 8;
  constexpr double kNear = 17.0 / 16;
  const auto trained = [&](CodecId id, const UnitSample& sample) {
    const double share = all_bytes / std::max<double>(1, static_cast<double>(sample.bytes.size()));
    return TrainedCodec{id, kMostBlock, builder_of(id).train(sample, share), {}};
  };
  const auto take = [&](TrainedCodec codec) {
    coding.codec = codec.codec;
    coding.block_bytes = codec.block_bytes;
    coding.dictionary = std::move(codec.dictionary);
  };
  if (request.codec) return take(trained(*request.codec, blocks));
  const OwnedSample training(blocks, kJudgeInterval, false);
  const OwnedSample judges(blocks, kJudgeInterval, true);
  double least = 0;
  for (const CodecTrial& each : coding.candidates)
    if (each.codec == coding.codec) least = each.bytes;
  // Those that decode a record in a fraction of a block's time may take a little more.
  for (const auto& [id, near] :
       {std::pair(CodecId::zstd, 1.0), std::pair(CodecId::neighbours, kNear)}) {
    TrainedCodec codec = trained(id, training.units());
    coding.candidates.push_back(tried_in_order(codec, judges.units(), all_bytes));
    if (judges.sizes.empty() || coding.candidates.back().bytes >= least * near) continue;
    least = coding.candidates.back().bytes;
    take(std::move(codec));
  }
}

}  // namespace crivo::records
