// SPDX-License-Identifier: Apache-2.0
/// Names of 16 bytes for what files hold.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "base/bytes.hpp"

namespace crivo::file {

/// A hash that tells contents apart, as of a set of keys (and records) with the parameters of its
/// build.
using ContentId = std::array<std::byte, 16>;

/// The XXH3-128 of the bytes, in xxHash's canonical form.
ContentId content_hash(base::ByteView bytes) noexcept;

/// Two lower-case digits for each byte.
std::string to_hex(base::ByteView id);

}  // namespace crivo::file
