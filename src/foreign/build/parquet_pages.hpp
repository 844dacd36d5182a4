// SPDX-License-Identifier: Apache-2.0
/// The values of a column in a row group of a Parquet file: those of its dictionary, and those of
/// its plain pages.
///
/// The codecs of Parquet's pages.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "foreign/parquet_file.hpp"

namespace crivo::foreign::parquet {

/// A longer page is refused: it would be in memory as a whole.
inline constexpr std::uint64_t kMostPageBytes = std::uint64_t{1} << 28;

/// Returns a page's bytes, uncompressed: `bytes` of them, in `room` or as they stand. `column` is
/// for messages. Throws Error(corrupt) for others, Error(usage) for another codec than
/// UNCOMPRESSED, SNAPPY, GZIP and ZSTD.
base::ByteView unpack(const File& file, const std::string& column, std::uint64_t codec,
                      base::ByteView page, std::uint64_t bytes, base::Bytes& room);

/// Uncompresses Snappy's raw format into exactly `room`; false for what is none, or of another
/// length.
bool unpack_snappy(base::ByteView page, base::Bytes& room) noexcept;

/// Calls visit(value) for each value of the chunk, some more than once, and perhaps for others: a
/// dictionary's that no row has. A value is the bytes of its plain encoding, without a length.
/// Throws Error(corrupt), Error(usage) for encodings and codecs that are not read, and what `visit`
/// throws. Memory: a page.
void for_each_value(const File& file, const Column& column, const Chunk& chunk,
                    const std::function<void(std::string_view value)>& visit);

}  // namespace crivo::foreign::parquet
