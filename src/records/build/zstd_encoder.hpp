// SPDX-License-Identifier: Apache-2.0
/// Encoding blocks of records as zstd frames, and training the dictionary
/// (records/zstd_blocks.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.hpp"
#include "records/build/encoding.hpp"
#include "records/zstd_blocks.hpp"

namespace crivo::records {

/// zstd's level. On URLs with JSON records, against level 3: level 1 takes 0.7 of the time for 5 %
/// more bytes, 6 takes 3.8 times the time for 3 % fewer, 9 takes 6 times for 7 % fewer.
inline constexpr int kCompressionLevel = 3;
inline constexpr int kMoreCompressionLevel = 9;  ///< with Effort::more

/// The raw bytes that a dictionary is trained on: about 100 times its length is what zstd advises.
inline constexpr std::size_t kDictionarySample = 100 * kMaxDictionary;
/// The front of a long block that is trained on: a dictionary is of use where a block begins.
inline constexpr std::size_t kTrainedFront = std::size_t{16} << 10;

/// A dictionary for blocks like these, at most kMaxDictionary bytes; empty if there are too few of
/// them, or if it would not save its own length. `sizes` are the lengths of the blocks that stand
/// one after the other in `blocks`. Deterministic. Throws Error(io) if memory runs out.
base::Bytes train_dictionary(base::ByteView blocks, std::span<const std::size_t> sizes);

/// Returns what many of these texts have in common, the most useful last: at most `most` bytes,
/// none if there are too few texts. `sizes` are their lengths. Deterministic. Throws Error(io) if
/// memory runs out.
base::Bytes train_text(base::ByteView texts, std::span<const std::size_t> sizes, std::size_t most);

/// See CodecBuilder::open.
std::unique_ptr<const Encoding> open_zstd_encoding(base::ByteView dictionary,
                                                   Effort effort = Effort::usual);

}  // namespace crivo::records
