// SPDX-License-Identifier: Apache-2.0
/// Base64, in which minisign writes keys and signatures.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace crivo::trust {

/// With padding, on one line (RFC 4648, section 4).
std::string to_base64(base::ByteView bytes);

/// Fills `bytes` from the one text that to_base64() makes of them; false for any other text, with
/// `bytes` changed or not.
bool from_base64(std::string_view text, std::span<std::byte> bytes) noexcept;

}  // namespace crivo::trust
