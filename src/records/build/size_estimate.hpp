// SPDX-License-Identifier: Apache-2.0
/// Tells how large a store's records will be, and how long encoding takes, before it is built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "records/build/encoding.hpp"
#include "records/codec.hpp"

namespace crivo::records {

/// A record of a sample, or the front of a long one.
struct SampledRecord {
  std::string_view key;
  std::string_view record;
  std::size_t cut = 0;  ///< the bytes behind it
};

struct RecordEstimate {
  std::uint64_t bytes = 0;      ///< of the environment and its dictionary
  double training_seconds = 0;  ///< of one thread: choosing the codec, and its dictionary
  double encoding_seconds = 0;  ///< of one thread, for all records
};

/// Estimates the encoded size of `records` records that have so many bytes with their keys, by a
/// sample in the order of hashes: it goes into units and groups as EnvironmentWriter would make
/// them, by a codec trained on it, and their pages are counted. The bytes depend on the sample
/// alone. A few seconds of one thread at most. Throws Error(bad_input) for a key or record over the
/// limits, Error(io) if memory runs out.
RecordEstimate estimate_records(const CodecRequest& request, std::span<const SampledRecord> sample,
                                std::uint64_t records, std::uint64_t bytes);

}  // namespace crivo::records
