// SPDX-License-Identifier: Apache-2.0
/// scrypt (RFC 7914), of OpenSSL's libcrypto.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/bytes.hpp"

namespace crivo::trust {

struct ScryptCost {
  std::uint64_t n = 0;
  std::uint32_t r = 0;
  std::uint32_t p = 0;
};
/// Fills `derived`. Takes 128 r n bytes of memory; throws Error(io) if there are none, or the cost
/// is none that scrypt has.
void scrypt(std::string_view password, base::ByteView salt, const ScryptCost& cost,
            std::span<std::byte> derived);

}  // namespace crivo::trust
