// SPDX-License-Identifier: Apache-2.0
/// Compressed files of several streams: where these begin, and how several threads decompress them.
#pragma once

#include <cstdint>
#include <string>

#include "input/input_bytes.hpp"

namespace crivo::input {

/// As open_bytes(), with the same bytes, stream starts and faults. A regular file of several gzip
/// members is decompressed by `threads` (0: one a core) beside the caller, at most 4, which are
/// 2 MiB each ahead of it. `file` is that at `path`, of which nothing was read.
OpenedBytes open_bytes(const std::string& path, InputFile& file, unsigned threads);

/// The first place at or after `from` of a regular file where a gzip member (also of bgzip's) or a
/// zstd frame begins; the file's size where none does. Found by the first bytes, and by decoding
/// what follows for a while: so a place inside a stream is returned only where that stream holds a
/// compressed file as it is. Who reads to that place sees it (open_streams()). O(bytes between).
/// So many bytes, `most`, are searched before it is taken that none does. Throws Error(io).
std::uint64_t next_stream(const InputFile& file, Compression compression, std::uint64_t from,
                          std::uint64_t most = UINT64_MAX);

/// Whether next_stream() knows the begins of such streams.
constexpr bool has_known_streams(Compression compression) noexcept {
  return compression == Compression::gzip || compression == Compression::zstd;
}

}  // namespace crivo::input
