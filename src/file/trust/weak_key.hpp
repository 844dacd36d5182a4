// SPDX-License-Identifier: Apache-2.0
/// Public keys under which anybody can sign.
#pragma once

#include "file/trust/libcrypto.hpp"

namespace crivo::trust {

/// Whether the key is a point of small order (1, 2, 4 or 8) of the curve of Ed25519, in any of its
/// encodings. Signatures that fit any message can be made for it without a secret key. RFC 8032
/// does not refuse such keys, nor does OpenSSL; libsodium, and so minisign, does.
bool has_small_order(const Ed25519Key& key) noexcept;

}  // namespace crivo::trust
