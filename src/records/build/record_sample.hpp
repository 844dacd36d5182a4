// SPDX-License-Identifier: Apache-2.0
/// How a store's records are to be encoded, from a sample of them: known before any of them is, and
/// the same wherever parts of the store are made.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "records/build/encoding.hpp"
#include "records/build/record_batch.hpp"
#include "records/build/spread_sample.hpp"
#include "records/codec.hpp"

namespace crivo::records {

/// A codec's result for all records, by a sample of them.
struct CodecTrial {
  CodecId codec = CodecId::none;
  std::uint32_t block_bytes = 0;  ///< of a codec by block
  double bytes = 0;               ///< of all units and the dictionary
  double hit_cost = 0;   ///< in memory, by the table of formats/store.md, the mean of the records
  double hit_bytes = 0;  ///< of the stored unit that it reads, likewise
};

struct TrainedCodec {
  CodecId codec = CodecId::none;
  std::uint32_t block_bytes = 0;  ///< of a codec by block
  base::Bytes dictionary;
  std::vector<CodecTrial> candidates;  ///< those that were tried, where there was a choice
};

/// The sample that a codec is trained on and judged by, of the same records.
struct CodecSample {
  UnitSample pieces;  ///< of records, for codecs by record
  UnitSample blocks;  ///< for codecs by block, of as many bytes as are asked for
  const JudgeSample& judges;
};

/// The bytes of a unit beside its encoded ones: its check and its head.
inline constexpr double kUnitBytes = 6;

/// Costs are in quarters of a nanosecond.
inline constexpr double kCostsPerNanosecond = 4;

/// Returns the cost of a hit that decodes a unit of so many bytes, by the table of
/// formats/store.md.
double hit_cost(CodecId codec, double raw, double stored) noexcept;

/// The blocks of zstd that are tried for a goal.
std::uint32_t block_for(Goal goal) noexcept;

/// The dictionary of a codec for records of so many bytes, of which the sample is. Throws
/// Error(io) if memory runs out.
base::Bytes train(const CodecType& type, const CodecSample& sample, double all_bytes);

/// The codec that comes nearest to `goal` for records of so many bytes: each is trained on the
/// sample's pieces or blocks and judged by its judges, as formats/store.md says. Costs are computed
/// from counts, so that the same records give the same codec anywhere. Throws Error(io) if memory
/// runs out.
/// Those by blocks are tried where `blocks` says so.
TrainedCodec choose_codec(const CodecSample& sample, double all_bytes, Goal goal,
                          bool blocks = true);

/// Encodes these units; the bytes that they take.
std::uint64_t encoded_bytes(const UnitSample& units, const Encoding& encoding);

/// All that the units of a store depend on beside the records and their ranks.
struct RecordCoding {
  CodecId codec = CodecId::none;
  std::uint32_t block_bytes = 0;  ///< of a codec by block
  base::Bytes dictionary;
  std::vector<CodecTrial> candidates;  ///< of which it was chosen
  /// A record counts for so many bytes in a block if it is not at hand when blocks are cut: the
  /// mean.
  std::uint64_t usual_bytes = kLeastRawRecord;
  /// Blocks end at multiples of 2^segment_bits ranks of a partition: so many that a segment has
  /// about a MiB of records.
  unsigned segment_bits = 0;
  bool keys_apart = false;        ///< as CodecRequest has it
  Effort effort = Effort::usual;  ///< likewise

  const CodecType& type() const noexcept { return codec_type(codec); }
  /// The encoding, which lives no longer than this.
  std::unique_ptr<const Encoding> open() const {
    return builder_of(codec).open(dictionary, effort);
  }
  /// The description of units, without the longest.
  CodecSection section() const { return {{codec, 0, block_bytes}, dictionary}; }
  /// That of the units of a part, by which they are joined.
  static RecordCoding of(CodecSection section) {
    RecordCoding coding;
    coding.codec = section.codec;
    coding.block_bytes = section.block_bytes;
    coding.dictionary = std::move(section.dictionary);
    return coding;
  }
};

/// A sample that tells how records are to be encoded: those with the least hashes, in their order,
/// and of these some evenly by bytes.
class RecordSample {
 public:
  explicit RecordSample(const CodecRequest& request);

  /// Whether as many records came as are looked at.
  bool is_full() const noexcept;
  /// The next record, unless it is full. Throws Error(bad_input) for one over the limits.
  void add(std::string_view key, std::string_view record);

  /// Chooses the codec where none is asked for, and trains its dictionary, for `records` records of
  /// which these are a sample. Deterministic. Throws Error(io) if memory runs out.
  RecordCoding coding(std::uint64_t records) const;
  /// Encodes what is kept, for who wants to know how long it takes: returns its bytes, or 0 where
  /// the codec is none. Throws Error(io) if memory runs out.
  std::uint64_t encode(const RecordCoding& coding) const;

 private:
  bool is_judge() const noexcept;
  TrainedCodec trained(double share) const;

  CodecRequest request_;
  PieceSample pieces_;
  BlockSample blocks_;
  JudgeSample judges_;
  std::uint64_t looked_at_ = 0;  // bytes
  std::uint64_t records_ = 0;
};

/// The coding for `records` records, of a sample of those in `source`.
RecordCoding plan_coding(const CodecRequest& request, std::uint64_t records,
                         const RecordSource& source, Duplicates duplicates);

}  // namespace crivo::records
