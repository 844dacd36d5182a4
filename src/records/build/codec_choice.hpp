// SPDX-License-Identifier: Apache-2.0
/// Which codec a store's records get where none is asked for, and its training.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "records/build/encoding.hpp"
#include "records/build/spread_sample.hpp"
#include "records/codec.hpp"

namespace crivo::records {

/// What a codec would give for all records, as a sample of them tells.
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

/// What a codec is trained on and judged by, of the same records.
struct CodecSample {
  UnitSample pieces;  ///< of records, for codecs by record
  UnitSample blocks;  ///< for codecs by block, of as many bytes as are asked for
  const JudgeSample& judges;
};

/// The blocks of zstd that are tried for a goal.
std::uint32_t block_for(Goal goal) noexcept;

/// The dictionary of a codec for records of so many bytes, of which the sample is. Throws
/// Error(io) if memory runs out.
base::Bytes train(const CodecType& type, const CodecSample& sample, double all_bytes);

/// The codec that comes nearest to `goal` for records of so many bytes: each is trained on the
/// sample's pieces or blocks and judged by its judges, as formats/store.md says. Costs are computed
/// from counts, so that the same records give the same codec anywhere. Throws Error(io) if memory
/// runs out.
TrainedCodec choose_codec(const CodecSample& sample, double all_bytes, Goal goal);

/// Encodes these units; the bytes that they take.
std::uint64_t encoded_bytes(const UnitSample& units, const Encoding& encoding);

}  // namespace crivo::records
