// SPDX-License-Identifier: Apache-2.0
/// The functions of OpenSSL's libcrypto that Crivo uses: Ed25519 (RFC 8032), whose weak keys are
/// refused here. In a build without it each function throws Error(usage) that says so, and all else
/// works.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.hpp"

struct ossl_lib_ctx_st;  // OSSL_LIB_CTX of OpenSSL's headers

namespace crivo::trust {

using Ed25519Key = std::array<std::byte, 32>;  ///< a public one, or the seed of a secret one
using Ed25519Signature = std::array<std::byte, 64>;

/// Throws Error(usage) in a build without libcrypto, and Error(io) in libcrivo-read where it cannot
/// be loaded.
void require_libcrypto();
/// Throws Error(io): what libcrypto says of its last failure. Its list of failures is emptied, as
/// that of a thread which may go on. Only where there is a libcrypto.
[[noreturn]] void fail_libcrypto(const char* what);
/// The context that all calls of libcrypto work in, made by the first. Throws std::bad_alloc; the
/// next call tries again. Only where there is a libcrypto.
ossl_lib_ctx_st* libcrypto_context();

/// Whether the owner of the key signed the message: of a key with which anybody can sign, never.
/// O(message.size()), some 0.1 ms.
bool is_signed(base::ByteView message, const Ed25519Signature& signature, const Ed25519Key& key);
Ed25519Signature sign(base::ByteView message, const Ed25519Key& seed);
Ed25519Key public_key_of(const Ed25519Key& seed);

/// Whether the key is a point of small order (1, 2, 4 or 8) of the curve of Ed25519, in any of its
/// encodings. Signatures that fit any message can be made for it without a secret key. RFC 8032
/// does not refuse such keys, nor does OpenSSL; libsodium, and so minisign, does.
bool has_small_order(const Ed25519Key& key) noexcept;

}  // namespace crivo::trust
