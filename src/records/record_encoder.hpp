// SPDX-License-Identifier: Apache-2.0
/// Records in rank order to stored units in rank order, for every backend's writer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "records/codec_section.hpp"

namespace crivo::records {

/// A unit that is to be stored.
struct EncodedUnit {
  std::uint64_t first_rank = 0;
  std::uint32_t records = 0;
  base::ByteView stored;  ///< see unit.hpp
};

/// Chooses the codec and trains its dictionary on the first records, then encodes on all threads.
/// The units depend on the records, their number and the request alone. Memory: the sample at
/// first, then a few MB, or a few times the longest record if that is more.
class RecordEncoder {
 public:
  /// Gets the units in rank order, many at a time, on the thread that calls append() or finish();
  /// their bytes are valid during the call.
  using Sink = std::function<void(std::span<const EncodedUnit> units)>;

  /// `records` is how many will come, by which the dictionary's length is weighed.
  RecordEncoder(const CodecRequest& request, std::uint64_t records, unsigned threads, Sink sink);
  ~RecordEncoder();
  RecordEncoder(const RecordEncoder&) = delete;
  RecordEncoder& operator=(const RecordEncoder&) = delete;

  /// Adds the record of the next rank, the first of which is 0. Throws Error(bad_input) for a key
  /// or record over the limits, Error(io) if memory runs out, and what the sink throws; after any,
  /// only destruction.
  void append(std::string_view key, std::string_view record);
  /// Encodes what is left; the description of what was done. Last call.
  CodecSection finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace crivo::records
