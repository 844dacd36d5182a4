// SPDX-License-Identifier: Apache-2.0
/// The checksum of a whole file.
#pragma once

#include <cstdint>

#include "base/file_descriptor.hpp"
#include "base/progress.hpp"

namespace crivo::records {

/// XXH3-64 of the first `size` bytes. `progress` (if given) counts bytes. Throws Error(corrupt) if
/// the file is shorter, Error(io) if it cannot be read.
std::uint64_t hash_file(const base::FileDescriptor& file, std::uint64_t size,
                        base::Progress* progress = nullptr);

}  // namespace crivo::records
