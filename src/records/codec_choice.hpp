// SPDX-License-Identifier: Apache-2.0
/// Which codec a store's records get where none is asked for, and its training.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
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

/// Sampled records as units by record, and how long the key of each is.
struct PairSample {
  UnitSample units;
  std::span<const std::uint32_t> key_sizes;
};

/// The codec that comes nearest to `goal`: each is trained on the first seven eighths of the sample
/// and judged by the rest, as formats/store.md says. Costs are computed from counts, so that the
/// same records give the same codec anywhere. `share` as in CodecType::train. Throws Error(io) if
/// memory runs out.
TrainedCodec choose_codec(const PairSample& sample, double share, Goal goal);

/// Encodes these units; the bytes that they take.
std::uint64_t encoded_bytes(const UnitSample& units, const Codec& codec);

/// The bytes of records that choose_codec() looks at, at most.
std::uint64_t choice_sample_bytes() noexcept;

}  // namespace crivo::records
