// SPDX-License-Identifier: Apache-2.0
/// The name of a whole file.
#pragma once

#include "hashing/sha256.hpp"

namespace crivo::file {

/// The root of a file's hash tree: the SHA-256 of header, table and footer. All zero of nothing.
using Digest = hashing::Sha256Value;

}  // namespace crivo::file
