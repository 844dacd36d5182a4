// SPDX-License-Identifier: Apache-2.0
/// The builder's half of the codec `neighbours` (see records/neighbours.hpp), and the choice of a
/// codec by what records that follow one another in the order of their keys have in common.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "records/block.hpp"
#include "records/build/encoding.hpp"
#include "records/build/record_sample.hpp"

namespace crivo::records {

/// The bytes of blocks that a dictionary of the codec is trained on, at most.
inline constexpr std::uint64_t kNeighbourSample = std::uint64_t{4} << 20;

/// See CodecBuilder::train: of blocks of records without keys, in the order of keys.
base::Bytes train_neighbours(const UnitSample& sample, double share);

/// See CodecBuilder::open.
std::unique_ptr<const Encoding> open_neighbour_encoding(base::ByteView dictionary,
                                                        Effort effort = Effort::usual);

/// Blocks of records that follow one another in the order of their keys, from places spread over
/// all of them: what choose_in_order() looks at. They depend on the records alone.
class NeighbourSample {
 public:
  /// Samples so many records, which are gone over in order.
  explicit NeighbourSample(std::uint64_t records)
      : interval_(std::max<std::uint64_t>(records / kWindows, 1)), cutter_(kMostBlock) {}

  /// Whether the next record is looked at, or only counted; and takes it where it is.
  bool wants_next() noexcept;
  void add(std::string_view record);
  UnitSample blocks() const noexcept { return {bytes_, sizes_}; }
  /// Whether records that the codec `neighbours` leaves raw are less than 1/16 of the bytes.
  bool has_neighbours() const noexcept { return 16 * long_bytes_ <= all_bytes_; }

 private:
  static constexpr std::uint64_t kWindows = 256;
  static constexpr std::uint64_t kWindowBytes = 2 * kMostBlock;

  std::uint64_t interval_;
  std::uint64_t next_ = 0;    // the number of the next record
  std::uint64_t window_ = 0;  // the bytes of the window at hand
  std::uint64_t all_bytes_ = 0;
  std::uint64_t long_bytes_ = 0;  // of records over kMostNeighbourBytes
  BlockCutter cutter_;
  base::Bytes bytes_;
  std::vector<std::size_t> sizes_;
};

/// Chooses the codec of so many records in the order of their keys, as is_in_order() has it:
/// `coding`, which was chosen by records alone, or one by blocks, if that takes fewer bytes. Throws
/// Error(io) if memory runs out.
void choose_in_order(const CodecRequest& request, const NeighbourSample& sample,
                     std::uint64_t records, RecordCoding& coding);

}  // namespace crivo::records
