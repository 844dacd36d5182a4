// SPDX-License-Identifier: Apache-2.0
/// Which codec a store's records get where none is asked for, and its training.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "records/codec.hpp"

namespace crivo::records {

struct TrainedCodec {
  CodecId codec = CodecId::none;
  base::Bytes dictionary;
};

/// The codec by record that makes all records and its dictionary shortest, trained on the first
/// seven eighths of the sample and judged by the rest; but `tokens12` where `tokens16` saves less
/// than 1/32 more (its dictionary takes more memory and time), and `none` where the best saves less
/// than 1/8, or `tokens12` less than 1/64: then `tokens16` is not trained. zstd has to be asked
/// for: a hit decompresses a whole block. `sample` is of units by record; `share` as in
/// CodecType::train. Deterministic. Throws Error(io) if memory runs out.
TrainedCodec choose_codec(const UnitSample& sample, double share);

/// The part of the bytes of these units that is left when they are encoded.
double encoded_part(const UnitSample& units, const Codec& codec);

/// The bytes of records that choose_codec() looks at, at most.
std::uint64_t choice_sample_bytes() noexcept;

}  // namespace crivo::records
