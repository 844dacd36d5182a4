// SPDX-License-Identifier: Apache-2.0
#include "records/build/neighbour_encoder.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "records/block.hpp"
#include "records/build/neighbour_parser.hpp"
#include "records/build/zstd_encoder.hpp"
#include "records/neighbours.hpp"

namespace crivo::records {

namespace {

/// How often each symbol of each alphabet is written.
struct SymbolCounts {
  std::array<std::vector<std::uint64_t>, Symbols::kSizes.size()> of;

  SymbolCounts() {
    for (std::size_t i = 0; i < of.size(); ++i) of[i].assign(Symbols::kSizes[i], 1);
  }

  /// The lengths of the best codewords, alphabet by alphabet.
  base::Bytes lengths() const {
    base::Bytes all;
    for (const std::vector<std::uint64_t>& counts : of) {
      std::vector<std::size_t> order(counts.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::stable_sort(order, std::greater<>{},
                               [&](std::size_t symbol) { return counts[symbol]; });
      std::vector<std::uint64_t> weights;
      weights.reserve(order.size());
      for (const std::size_t symbol : order) weights.push_back(counts[symbol]);
      const std::size_t begin = all.size();
      all.resize(begin + counts.size());
      auto next = order.begin();
      const csf::LengthCounts of_length = csf::optimal_code(weights);
      for (std::size_t length = 0; length < of_length.size(); ++length) {
        for (std::uint32_t i = 0; i < of_length[length]; ++i)
          all[begin + *next++] = static_cast<std::byte>(length);
      }
    }
    return all;
  }
};

/// Bits, the lowest of a byte first.
class BitWriter {
 public:
  explicit BitWriter(base::Bytes& to) : to_(to) {}

  void put(std::uint32_t bits, unsigned size) {
    bits_ |= std::uint64_t{bits} << filled_;
    for (filled_ += size; filled_ >= 8; filled_ -= 8, bits_ >>= 8)
      to_.push_back(static_cast<std::byte>(bits_));
  }
  void put(const csf::Codeword& word) { put(word.bits, word.length); }
  void finish() {
    if (filled_ != 0) to_.push_back(static_cast<std::byte>(bits_));
  }

 private:
  base::Bytes& to_;
  std::uint64_t bits_ = 0;
  unsigned filled_ = 0;
};

/// Calls put(alphabet, symbol, bits, size) for each symbol of a record, and the bits behind it.
template <typename Put>
void write_symbols(base::ByteView record, std::span<const Sequence> sequences, std::uint32_t last,
                   const Put& put) {
  std::size_t at = 0;
  for (const Sequence& sequence : sequences) {
    const auto literals = Symbols::LiteralLength::of(sequence.literals);
    put(0, literals.symbol, literals.bits, literals.size);
    for (const std::byte literal : record.subspan(at, sequence.literals))
      put(3, static_cast<std::uint32_t>(literal), 0, 0);
    const auto match = Symbols::MatchLength::of(sequence.match == 0 ? 0 : sequence.match - 1);
    put(1, match.symbol, match.bits, match.size);
    at += sequence.literals + sequence.match;
    if (sequence.match == 0) return;
    const Offset place = Offset::of(sequence.distance, last);
    put(2, place.symbol, place.bits, place.size);
    last = sequence.distance;
  }
}

class NeighbourEncoder final : public Encoder {
 public:
  NeighbourEncoder(base::ByteView text, const SymbolCodes& codes)
      : codes_(codes), parser_(text, codes) {}

  bool encode(base::ByteView raw, base::Bytes& stored) override {
    leaders_.clear();
    others_.clear();
    const bool is_parsed =
        parser_.parse(raw, [&](std::size_t number, base::ByteView record, std::uint32_t last,
                               std::span<const Sequence> sequences) {
          (is_leader(number) ? leaders_ : others_).add(record, last, sequences, codes_);
        });
    if (!is_parsed) return false;
    const std::size_t begin = stored.size();
    for (const Pieces* pieces : {&leaders_, &others_})
      for (const std::uint32_t size : pieces->sizes) base::append_varint(stored, size);
    for (const Pieces* pieces : {&leaders_, &others_})
      stored.insert(stored.end(), pieces->bytes.begin(), pieces->bytes.end());
    const bool shorter = stored.size() - begin < raw.size();
    if (!shorter) stored.resize(begin);
    return shorter;
  }

 private:
  struct Pieces {
    base::Bytes bytes;
    std::vector<std::uint32_t> sizes;

    void clear() {
      bytes.clear();
      sizes.clear();
    }
    void add(base::ByteView record, std::uint32_t last, std::span<const Sequence> sequences,
             const SymbolCodes& codes) {
      const std::size_t begin = bytes.size();
      BitWriter bits(bytes);
      write_symbols(
          record, sequences, last,
          [&](std::size_t alphabet, std::uint32_t symbol, std::uint32_t more, unsigned size) {
            bits.put(codes.of[alphabet].of_symbol[symbol]);
            bits.put(more, size);
          });
      bits.finish();
      sizes.push_back(static_cast<std::uint32_t>(bytes.size() - begin));
    }
  };

  const SymbolCodes& codes_;
  BlockParser parser_;
  Pieces leaders_;
  Pieces others_;
};

class NeighbourEncoding final : public Encoding {
 public:
  explicit NeighbourEncoding(base::ByteView dictionary)
      : codes_(dictionary.first(Symbols::kSymbols)), text_(dictionary.subspan(Symbols::kSymbols)) {}

  std::unique_ptr<Encoder> encoder() const override {
    return std::make_unique<NeighbourEncoder>(text_, codes_);
  }

 private:
  SymbolCodes codes_;
  base::ByteView text_;
};

/// Returns what many leaders have in common: at most so many bytes.
base::Bytes common_text(const UnitSample& sample, std::size_t most) {
  base::Bytes leaders;
  std::vector<std::size_t> sizes;
  sample.for_each([&](base::ByteView block) {
    std::string_view key;
    std::string_view record;
    for (std::size_t i = 0; take_raw_record(block, key, record); ++i) {
      if (!is_leader(i) || record.empty()) continue;
      const base::ByteView front = base::as_bytes(record.substr(0, kMostNeighbourBytes));
      leaders.insert(leaders.end(), front.begin(), front.end());
      sizes.push_back(front.size());
    }
  });
  return train_text(leaders, sizes, most);
}

/// Returns how likely symbols are before any were counted.
SymbolCounts likely_counts() {
  SymbolCounts counts;
  for (std::size_t i = 0; i < Symbols::kLiteralLengths; ++i)
    counts.of[0][i] += 64 >> std::min<std::size_t>(i, 6);
  counts.of[1][0] = 32;
  for (std::size_t i = 1; i < Symbols::kMatchLengths; ++i) counts.of[1][i] += 4;
  counts.of[2][0] = 64;
  for (std::size_t i = Offset::kFirstPower; i < Symbols::kOffsets; ++i) counts.of[2][i] += 8;
  return counts;
}

}  // namespace

base::Bytes train_neighbours(const UnitSample& sample, double share) {
  constexpr std::size_t kPasses = 3;
  constexpr double kAByteOfText = 64;  // so many bytes of records
  const double all = share * static_cast<double>(sample.bytes.size());
  const base::Bytes text = common_text(
      sample, static_cast<std::size_t>(std::min<double>(kMostNeighbourText, all / kAByteOfText)));
  SymbolCounts counts = likely_counts();
  for (std::size_t pass = 0; pass < kPasses; ++pass) {
    const SymbolCodes codes(counts.lengths());
    counts = SymbolCounts();
    BlockParser parser(text, codes);
    std::size_t block = 0;
    sample.for_each([&](base::ByteView raw) {
      if (block++ % kPasses > pass) return;  // the first codes are of a part
      parser.parse(raw, [&](std::size_t, base::ByteView record, std::uint32_t last,
                            std::span<const Sequence> sequences) {
        write_symbols(record, sequences, last,
                      [&](std::size_t alphabet, std::uint32_t symbol, std::uint32_t, unsigned) {
                        ++counts.of[alphabet][symbol];
                      });
      });
    });
  }
  base::Bytes dictionary = counts.lengths();
  dictionary.insert(dictionary.end(), text.begin(), text.end());
  return dictionary;
}

std::unique_ptr<const Encoding> open_neighbour_encoding(base::ByteView dictionary, Effort) {
  return std::make_unique<NeighbourEncoding>(dictionary);
}

bool NeighbourSample::wants_next() noexcept {
  if (next_++ % interval_ == 0) {
    window_ = 0;
    cutter_ = BlockCutter(kMostBlock);
  }
  return window_ < kWindowBytes;
}

void NeighbourSample::add(std::string_view record) {
  all_bytes_ += record.size();
  if (record.size() > kMostNeighbourBytes) long_bytes_ += record.size();
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
CodecTrial tried_in_order(const TrainedCodec& codec, const UnitSample& judges, double all_bytes,
                          Effort effort) {
  const auto encoding = builder_of(codec.codec).open(codec.dictionary, effort);
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
    std::size_t number = 0;
    all.for_each([&](base::ByteView block) {
      if ((number++ % interval == interval - 1) != judges) return;
      bytes.insert(bytes.end(), block.begin(), block.end());
      sizes.push_back(block.size());
    });
  }
  UnitSample units() const noexcept { return {bytes, sizes}; }
};

}  // namespace

void choose_in_order(const CodecRequest& request, const NeighbourSample& sample,
                     std::uint64_t records, RecordCoding& coding) {
  const UnitSample blocks = sample.blocks();
  const double all_bytes = static_cast<double>(coding.usual_bytes) * static_cast<double>(records);
  constexpr std::size_t kJudgeInterval = 8;
  const double near_bytes = request.goal == Goal::smallest ? 1 : 17.0 / 16;
  const auto trained = [&](CodecId id, const UnitSample& units) {
    const double share = all_bytes / std::max<double>(1, static_cast<double>(units.bytes.size()));
    return TrainedCodec{id, kMostBlock, builder_of(id).train(units, share), {}};
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
  const bool has_neighbours =
      coding.usual_bytes * kRecordsALeader <= kMostBlock && sample.has_neighbours();
  for (const auto& [id, near] :
       {std::pair(CodecId::zstd, 1.0), std::pair(CodecId::neighbours, near_bytes)}) {
    if (id == CodecId::neighbours && !has_neighbours) continue;
    TrainedCodec codec = trained(id, training.units());
    coding.candidates.push_back(tried_in_order(codec, judges.units(), all_bytes, coding.effort));
    if (judges.sizes.empty() || coding.candidates.back().bytes >= least * near) continue;
    least = coding.candidates.back().bytes;
    take(std::move(codec));
  }
}

}  // namespace crivo::records
