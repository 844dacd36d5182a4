// SPDX-License-Identifier: Apache-2.0
#include "records/build/record_sample.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <utility>

#include "base/memory_limit.hpp"
#include "records/block.hpp"
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
  if (request_.codec == CodecId::none || request_.codec == CodecId::neighbours)
    return looked_at_ >= kLengthBytes;
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
    if (may_be(CodecId::zstd) && !request_.is_in_order() && !blocks_.is_full())
      blocks_.add(key, record);
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
    return choose_codec({pieces_.units(), blocks_.units(), judges_}, share, request_.goal,
                        !request_.is_in_order());
  }
  if (request_.is_in_order()) return {};
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
  coding.effort = request_.effort();
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

namespace {

// The costs of a hit, in quarters of a nanosecond of the processor on which they were fitted once:
// a table of the format's page, not a measurement of the machine at hand.
constexpr double kHitCost = 2000;               // to find the record
constexpr double kStoredByteCost = 1;           // to fetch and to check it
constexpr double kTokens12ByteCost = 8. / 3;    // of encoded bytes: 4 a token
constexpr double kTokens16ByteCost = 5. / 2;    // 5 a token
constexpr double kZstdBlockCost = 1200;         // to begin a frame
constexpr double kZstdRawByteCost = 4.5;        // of the whole block
constexpr double kNeighbourRawByteCost = 0.25;  // of the whole block, of which it decodes a part
// A stored byte of a file of which one byte in ten has to be read from an SSD, beside the rest.
constexpr double kReadByteCost = 10;

// Candidates so near to the best are as good.
constexpr double kNear = 32. / 31;

}  // namespace

double hit_cost(CodecId codec, double raw, double stored) noexcept {
  const double found = kHitCost + kStoredByteCost * stored;
  switch (codec) {
    case CodecId::none:
      break;
    case CodecId::tokens12:
      return found + kTokens12ByteCost * stored;
    case CodecId::tokens16:
      return found + kTokens16ByteCost * stored;
    case CodecId::zstd:
      return found + kZstdBlockCost + kZstdRawByteCost * raw;
    case CodecId::neighbours:
      return found + kNeighbourRawByteCost * raw;
  }
  return found;
}

namespace {

// A record, or the records of a block: what is judged stands for more.
struct Unit {
  base::ByteView raw;
  double records = 0;  // for which it stands
  double units = 0;    // likewise
  double longer = 1;   // how many times as long they are, if long ones were cut
};

// The judges as units of one record each, or as blocks.
class JudgeUnits {
 public:
  explicit JudgeUnits(const JudgeSample& judges) : judges_(judges) {}

  template <typename Visit>
  void for_each(std::uint32_t block_bytes, const Visit& visit) const {
    base::Bytes raw;
    Unit unit;
    std::size_t records = 0;  // in it
    BlockCutter cutter(block_bytes);
    const auto close = [&] {
      unit.raw = raw;
      unit.units = unit.records / static_cast<double>(std::max<std::size_t>(records, 1));
      if (records != 0) visit(unit);
      raw.clear();
      unit = {};
      records = 0;
    };
    for (const JudgeSample::Judge& judge : judges_.judges()) {
      const std::string_view key = judges_.key(judge);
      const std::string_view front = judges_.front(judge);
      if (block_bytes == 0 || cutter.begins(judge.size)) close();
      if (block_bytes != 0) {
        append_raw_record(raw, key, front);
      } else {
        for (const std::string_view text : {key, front})
          raw.insert(raw.end(), base::as_bytes(text).begin(), base::as_bytes(text).end());
      }
      ++records;
      unit.records += judges_.weight(judge);
      // Only a record that is alone in its unit was cut.
      unit.longer = static_cast<double>(judge.size) /
                    static_cast<double>(std::max<std::size_t>(key.size() + front.size(), 1));
    }
    close();
  }

  // How many bytes the records have for which they stand.
  double bytes() const noexcept {
    double bytes = 0;
    for (const JudgeSample::Judge& judge : judges_.judges())
      bytes += judges_.weight(judge) * static_cast<double>(judge.size);
    return bytes;
  }

 private:
  const JudgeSample& judges_;
};

// The sums of all judges.
struct Judgement {
  double records = 0;
  double bytes = 0;
  double cost = 0;  // of all hits
  double read = 0;  // stored bytes by all hits
};

// `block_bytes` is 0 of a codec by record.
Judgement judge(const JudgeSample& judges, std::uint32_t block_bytes, CodecId id,
                const Encoding& encoding) {
  const std::unique_ptr<Encoder> encoder = encoding.encoder();
  Judgement all;
  base::Bytes encoded;
  JudgeUnits(judges).for_each(block_bytes, [&](const Unit& unit) {
    encoded.clear();
    const bool is_encoded = encoder != nullptr && encoder->encode(unit.raw, encoded);
    const double raw = unit.longer * static_cast<double>(unit.raw.size());
    const double stored = is_encoded ? unit.longer * static_cast<double>(encoded.size()) : raw;
    all.records += unit.records;
    all.bytes += unit.units * (stored + kUnitBytes);
    all.read += unit.records * stored;
    all.cost += unit.records * hit_cost(is_encoded ? id : CodecId::none, raw, stored);
  });
  return all;
}

class Choice {
 public:
  Choice(const CodecSample& sample, double all_bytes, Goal goal)
      : sample_(sample), all_bytes_(all_bytes), goal_(goal) {
    const double judged = JudgeUnits(sample.judges).bytes();
    scale_ = judged == 0 ? 0 : all_bytes / judged;
  }

  // `block_bytes` is 0 of a codec by record.
  void add(CodecId id, std::uint32_t block_bytes = 0) {
    TrainedCodec trained{id, block_bytes, train(codec_type(id), sample_, all_bytes_), {}};
    const Judgement all = judge(sample_.judges, block_bytes, id,
                                *builder_of(id).open(trained.dictionary, Effort::usual));
    const double records = all.records == 0 ? 1 : all.records;
    candidates_.push_back({id, block_bytes,
                           all.bytes * scale_ + static_cast<double>(trained.dictionary.size()),
                           all.cost / records, all.read / records});
    trained_.push_back(std::move(trained));
  }

  // Whether nothing repeats, as `tokens12` tell: then `tokens16`, whose training takes long, tell
  // the same.
  bool is_hopeless() const noexcept {
    constexpr double kHopeless = 1.0 / 64;
    return candidates_[1].bytes > candidates_[0].bytes * (1 - kHopeless);
  }

  TrainedCodec best() {
    double least = figure(candidates_.front());
    for (const CodecTrial& each : candidates_) least = std::min(least, figure(each));
    std::size_t best = candidates_.size();
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (figure(candidates_[i]) > least * kNear) continue;
      const bool shorter = best == candidates_.size() ||
                           (goal_ == Goal::speed && candidates_[i].bytes < candidates_[best].bytes);
      if (shorter) best = i;
    }
    TrainedCodec chosen = std::move(trained_[best]);
    chosen.candidates = std::move(candidates_);
    return chosen;
  }

 private:
  double figure(const CodecTrial& candidate) const noexcept {
    switch (goal_) {
      case Goal::smallest:
      case Goal::size:
        return candidate.bytes;
      case Goal::balanced:
        return candidate.bytes * (candidate.hit_cost + kReadByteCost * candidate.hit_bytes);
      case Goal::speed:
        break;
    }
    return candidate.hit_cost;
  }

  const CodecSample& sample_;
  double all_bytes_;
  Goal goal_;
  double scale_ = 0;  // the bytes of all records for one of the judges
  // In the order in which they are taken where they are as good: that of what they take of
  // processor and memory.
  std::vector<CodecTrial> candidates_;
  std::vector<TrainedCodec> trained_;
};

}  // namespace

std::uint64_t encoded_bytes(const UnitSample& units, const Encoding& encoding) {
  const std::unique_ptr<Encoder> encoder = encoding.encoder();
  if (encoder == nullptr) return units.bytes.size();
  base::Bytes stored;
  std::uint64_t total = 0;
  units.for_each([&](base::ByteView unit) {
    stored.clear();
    total += encoder->encode(unit, stored) ? stored.size() : unit.size();
  });
  return total;
}

std::uint32_t block_for(Goal goal) noexcept {
  // Where bytes alone count, the longest; otherwise the shortest, which hold one record unless
  // records are short.
  return is_of_bytes(goal) ? kMostBlock : kLeastBlock;
}

base::Bytes train(const CodecType& type, const CodecSample& sample, double all_bytes) {
  const UnitSample units =
      (type.by_record ? sample.pieces : sample.blocks).first(builder_of(type.id).sample_bytes);
  const auto bytes = static_cast<double>(units.bytes.size());
  return builder_of(type.id).train(units, bytes == 0 ? 1 : all_bytes / bytes);
}

TrainedCodec choose_codec(const CodecSample& sample, double all_bytes, Goal goal, bool blocks) {
  Choice choice(sample, all_bytes, goal);
  choice.add(CodecId::none);
  choice.add(CodecId::tokens12);
  if (!choice.is_hopeless()) choice.add(CodecId::tokens16);
  // A hit decodes a byte of zstd's for more than a raw byte costs: it is never the quickest.
  if (blocks && goal != Goal::speed) choice.add(CodecId::zstd, block_for(goal));
  return choice.best();
}

}  // namespace crivo::records
