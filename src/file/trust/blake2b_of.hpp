// SPDX-License-Identifier: Apache-2.0
/// The hash of a file that minisign signs.
#pragma once

#include "base/bytes.hpp"
#include "crivo/progress.hpp"
#include "hashing/blake2b.hpp"

namespace crivo::trust {

/// The BLAKE2b-512 of all bytes. Begins a phase of `progress`, which may cancel it.
/// O(bytes.size()).
hashing::Blake2b::Value blake2b_of(base::ByteView bytes, Progress& progress);

}  // namespace crivo::trust
