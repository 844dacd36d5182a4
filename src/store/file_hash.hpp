/// The checksum of a whole file.
#pragma once

#include <cstdint>

#include "util/file_descriptor.hpp"
#include "util/progress.hpp"

namespace crivo::store {

/// XXH3-64 of the first `size` bytes. `progress` (if given) counts bytes. Throws Error(corrupt) if
/// the file is shorter, Error(io) if it cannot be read.
std::uint64_t hash_file(const util::FileDescriptor& file, std::uint64_t size,
                        util::Progress* progress = nullptr);

}  // namespace crivo::store
