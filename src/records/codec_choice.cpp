// SPDX-License-Identifier: Apache-2.0
#include "records/codec_choice.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "records/block.hpp"

namespace crivo::records {

namespace {

// What a hit costs, in quarters of a nanosecond of the processor on which they were fitted once: a
// table of the format's page, not a measurement of the machine at hand.
constexpr double kHitCost = 2000;             // to find the record
constexpr double kStoredByteCost = 1;         // to fetch and to check it
constexpr double kTokens12ByteCost = 8. / 3;  // of encoded bytes: 4 a token
constexpr double kTokens16ByteCost = 5. / 2;  // 5 a token
constexpr double kZstdBlockCost = 1200;       // to begin a frame
constexpr double kZstdRawByteCost = 4.5;      // of the whole block
// A stored byte of a file of which one byte in ten has to be read from an SSD, beside the rest.
constexpr double kReadByteCost = 10;

// What a unit has beside its encoded bytes: its check and its head.
constexpr std::uint64_t kUnitBytes = 6;

// Candidates so near to the best are as good.
constexpr double kNear = 32. / 31;

// The blocks of zstd that are tried: where bytes alone count, the longest; otherwise the shortest,
// which hold one record unless records are short.
constexpr std::uint32_t block_for(Goal goal) noexcept {
  return goal == Goal::size ? kMostBlock : kLeastBlock;
}

double decoding_cost(CodecId codec, std::uint64_t raw, std::uint64_t stored) noexcept {
  switch (codec) {
    case CodecId::none:
      break;
    case CodecId::tokens12:
      return kTokens12ByteCost * static_cast<double>(stored);
    case CodecId::tokens16:
      return kTokens16ByteCost * static_cast<double>(stored);
    case CodecId::zstd:
      return kZstdBlockCost + kZstdRawByteCost * static_cast<double>(raw);
  }
  return 0;
}

// Units, and how many records each has.
struct CountedUnits {
  UnitSample units;
  std::span<const std::uint32_t> records;
};

// Units by block of records that are given as units by record.
class Blocks {
 public:
  Blocks(const PairSample& pairs, std::uint32_t block_bytes, std::uint64_t most) {
    BlockCutter cutter(block_bytes);
    base::ByteView rest = pairs.units.bytes;
    for (std::size_t i = 0; i < pairs.units.sizes.size() && bytes_.size() < most; ++i) {
      const std::string_view pair = base::as_text(rest.first(pairs.units.sizes[i]));
      const std::string_view key = pair.substr(0, pairs.key_sizes[i]);
      const std::string_view record = pair.substr(pairs.key_sizes[i]);
      rest = rest.subspan(pair.size());
      if (cutter.begins(key, record)) {
        sizes_.push_back(0);
        records_.push_back(0);
      }
      const std::size_t before = bytes_.size();
      append_raw_record(bytes_, key, record);
      sizes_.back() += bytes_.size() - before;
      ++records_.back();
    }
  }

  CountedUnits units() const noexcept { return {{bytes_, sizes_}, records_}; }

 private:
  base::Bytes bytes_;
  std::vector<std::size_t> sizes_;
  std::vector<std::uint32_t> records_;
};

// Of all judges.
struct Judgement {
  double bytes = 0;
  double cost = 0;
  double read = 0;  // stored bytes by all hits
};

Judgement judge(const CountedUnits& judges, CodecId id, const Codec& codec) {
  const std::unique_ptr<Encoder> encoder = codec.encoder();
  Judgement all;
  base::Bytes encoded;
  base::ByteView rest = judges.units.bytes;
  for (std::size_t i = 0; i < judges.units.sizes.size(); ++i) {
    const base::ByteView raw = rest.first(judges.units.sizes[i]);
    rest = rest.subspan(raw.size());
    encoded.clear();
    const bool is_encoded = encoder != nullptr && encoder->encode(raw, encoded);
    const std::uint64_t stored = is_encoded ? encoded.size() : raw.size();
    const double decoding = is_encoded ? decoding_cost(id, raw.size(), stored) : 0;
    const double records = judges.records[i];
    all.bytes += static_cast<double>(stored + kUnitBytes);
    all.read += records * static_cast<double>(stored);
    all.cost += records * (kHitCost + kStoredByteCost * static_cast<double>(stored) + decoding);
  }
  return all;
}

class Choice {
 public:
  Choice(const PairSample& sample, double share, Goal goal)
      : sample_(sample),
        share_(share),
        goal_(goal),
        training_(sample.units.first(sample.units.bytes.size() / 8 * 7)),
        judges_{sample.units.after(training_), sample.key_sizes.subspan(training_.sizes.size())},
        ones_(judges_.units.sizes.size(), 1) {
    const double judged = static_cast<double>(judges_.units.bytes.size());
    scale_ = judged == 0 ? 0 : share * static_cast<double>(sample.units.bytes.size()) / judged;
  }

  void add_by_record(CodecId id) {
    const CodecType& type = codec_type(id);
    add({id, 0, type.train(training_.first(type.sample_bytes), share_), {}},
        {judges_.units, ones_});
  }

  void add_zstd(std::uint32_t block_bytes) {
    const CodecType& type = codec_type(CodecId::zstd);
    const Blocks judges(judges_, block_bytes, judges_.units.bytes.size() * 2);
    base::Bytes dictionary;
    {
      const Blocks training({training_, sample_.key_sizes}, block_bytes, type.sample_bytes);
      dictionary = type.train(training.units().units, share_);
    }
    add({type.id, block_bytes, std::move(dictionary), {}}, judges.units());
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
  void add(TrainedCodec trained, const CountedUnits& judges) {
    const Judgement all =
        judge(judges, trained.codec, *codec_type(trained.codec).open(trained.dictionary));
    const auto records = static_cast<double>(std::max<std::size_t>(ones_.size(), 1));
    candidates_.push_back({trained.codec, trained.block_bytes,
                           all.bytes * scale_ + static_cast<double>(trained.dictionary.size()),
                           all.cost / records, all.read / records});
    trained_.push_back(std::move(trained));
  }

  double figure(const CodecTrial& candidate) const noexcept {
    switch (goal_) {
      case Goal::size:
        return candidate.bytes;
      case Goal::balanced:
        return candidate.bytes * (candidate.hit_cost + kReadByteCost * candidate.hit_bytes);
      case Goal::speed:
        break;
    }
    return candidate.hit_cost;
  }

  const PairSample& sample_;
  double share_;
  Goal goal_;
  UnitSample training_;
  PairSample judges_;
  std::vector<std::uint32_t> ones_;  // the records of each judge
  double scale_ = 0;                 // the bytes of all records for one of the judges
  // In the order in which they are taken where they are as good: that of what they take of
  // processor and memory.
  std::vector<CodecTrial> candidates_;
  std::vector<TrainedCodec> trained_;
};

}  // namespace

std::uint64_t encoded_bytes(const UnitSample& units, const Codec& codec) {
  const std::unique_ptr<Encoder> encoder = codec.encoder();
  if (encoder == nullptr) return units.bytes.size();
  base::Bytes stored;
  std::uint64_t total = 0;
  base::ByteView rest = units.bytes;
  for (const std::size_t size : units.sizes) {
    stored.clear();
    total += encoder->encode(rest.first(size), stored) ? stored.size() : size;
    rest = rest.subspan(size);
  }
  return total;
}

std::uint64_t choice_sample_bytes() noexcept {
  std::uint64_t most = 0;
  for (const CodecType& type : codec_types()) most = std::max(most, type.sample_bytes);
  return most;
}

TrainedCodec choose_codec(const PairSample& sample, double share, Goal goal) {
  Choice choice(sample, share, goal);
  choice.add_by_record(CodecId::none);
  choice.add_by_record(CodecId::tokens12);
  if (!choice.is_hopeless()) choice.add_by_record(CodecId::tokens16);
  // A hit decodes a byte of zstd's for more than a raw byte costs: it is never the quickest.
  if (goal != Goal::speed) choice.add_zstd(block_for(goal));
  return choice.best();
}

}  // namespace crivo::records
