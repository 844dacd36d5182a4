// SPDX-License-Identifier: Apache-2.0
/// The codecs of Parquet's pages.
#pragma once

#include <cstdint>
#include <string>

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

}  // namespace crivo::foreign::parquet
