// SPDX-License-Identifier: Apache-2.0
/// Compressed files of several streams, decompressed by several threads.
#pragma once

#include <string>

#include "input/input_bytes.hpp"

namespace crivo::input {

/// As open_bytes(), with the same bytes, stream starts and faults. A regular file of several gzip
/// members is decompressed by `threads` (0: one a core) beside the caller, at most 4, which are
/// 2 MiB each ahead of it. `file` is that at `path`, of which nothing was read.
OpenedBytes open_bytes(const std::string& path, InputFile& file, unsigned threads);

}  // namespace crivo::input
