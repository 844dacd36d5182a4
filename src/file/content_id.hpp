// SPDX-License-Identifier: Apache-2.0
/// Names of 16 bytes for what files hold.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "base/bytes.hpp"
#include "hashing/sha256.hpp"

namespace crivo::file {

/// The root of a file's hash tree: the SHA-256 of header, table and footer. All zero of nothing.
using Digest = hashing::Sha256Value;

/// A hash that tells contents apart, as of a set of keys (and records) with the parameters of its
/// build.
using ContentId = std::array<std::byte, 16>;

/// The XXH3-128 of the bytes, in xxHash's canonical form.
ContentId content_hash(base::ByteView bytes) noexcept;

/// Two lower-case digits for each byte.
std::string to_hex(base::ByteView id);

}  // namespace crivo::file
