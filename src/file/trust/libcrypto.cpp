// SPDX-License-Identifier: Apache-2.0
#include "file/trust/libcrypto.hpp"

#include "crivo/error.hpp"

#if defined(CRIVO_LIBCRYPTO)
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include <array>
#include <memory>
#include <new>
#include <string>

#include "base/loaded_library.hpp"
#endif

namespace crivo::trust {

#if defined(CRIVO_LIBCRYPTO)

namespace {

constinit base::LoadedLibrary libcrypto("libcrypto", "libcrypto.so.3");

CRIVO_LOADED(libcrypto, ERR_clear_error);
CRIVO_LOADED(libcrypto, ERR_peek_last_error);
CRIVO_LOADED(libcrypto, ERR_reason_error_string);
CRIVO_LOADED(libcrypto, EVP_DigestSign);
CRIVO_LOADED(libcrypto, EVP_DigestSignInit_ex);
CRIVO_LOADED(libcrypto, EVP_DigestVerify);
CRIVO_LOADED(libcrypto, EVP_DigestVerifyInit_ex);
CRIVO_LOADED(libcrypto, EVP_MD_CTX_free);
CRIVO_LOADED(libcrypto, EVP_MD_CTX_new);
CRIVO_LOADED(libcrypto, EVP_PKEY_free);
CRIVO_LOADED(libcrypto, EVP_PKEY_get_raw_public_key);
CRIVO_LOADED(libcrypto, EVP_PKEY_new_raw_private_key_ex);
CRIVO_LOADED(libcrypto, EVP_PKEY_new_raw_public_key_ex);
CRIVO_LOADED(libcrypto, OSSL_LIB_CTX_new);

struct Free {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};
using Pkey = std::unique_ptr<EVP_PKEY, Free>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, Free>;

const unsigned char* octets(base::ByteView bytes) noexcept {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* written(std::span<std::byte> bytes) noexcept {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

Pkey secret_key(const Ed25519Key& seed) {
  Pkey key(EVP_PKEY_new_raw_private_key_ex(libcrypto_context(), "ED25519", nullptr, octets(seed),
                                           seed.size()));
  if (!key) fail_libcrypto("taking a secret key");
  return key;
}

bool fits(base::ByteView message, const Ed25519Signature& signature, const Ed25519Key& key) {
  const Pkey made(EVP_PKEY_new_raw_public_key_ex(libcrypto_context(), "ED25519", nullptr,
                                                 octets(key), key.size()));
  const DigestContext context(EVP_MD_CTX_new());
  if (!made || !context ||
      EVP_DigestVerifyInit_ex(context.get(), nullptr, nullptr, libcrypto_context(), nullptr,
                              made.get(), nullptr) != 1) {
    fail_libcrypto("taking a public key");
  }
  const int result = EVP_DigestVerify(context.get(), octets(signature), signature.size(),
                                      octets(message), message.size());
  ERR_clear_error();  // a signature that does not fit is noted as a failure
  return result == 1;
}

}  // namespace

void fail_libcrypto(const char* what) {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  const std::string message = std::string("libcrypto: ") + what + " failed" +
                              (reason != nullptr ? std::string(": ") + reason : std::string());
  ERR_clear_error();
  throw Error(ErrorKind::io, message);
}

ossl_lib_ctx_st* libcrypto_context() {
  // Not the default one: libcrypto 3.0 uses that even where it could not be made, and crashes. It
  // is never freed, as other threads may need it until the process ends.
  static ossl_lib_ctx_st* const kContext = [] {
    ossl_lib_ctx_st* const made = OSSL_LIB_CTX_new();
    if (made != nullptr) return made;
    ERR_clear_error();
    throw std::bad_alloc();
  }();
  return kContext;
}

void require_libcrypto() {
  libcrypto.require("a signature");
}

Ed25519Signature sign(base::ByteView message, const Ed25519Key& seed) {
  const Pkey key = secret_key(seed);
  const DigestContext context(EVP_MD_CTX_new());
  Ed25519Signature signature{};
  std::size_t size = signature.size();
  if (!context ||
      EVP_DigestSignInit_ex(context.get(), nullptr, nullptr, libcrypto_context(), nullptr,
                            key.get(), nullptr) != 1 ||
      EVP_DigestSign(context.get(), written(signature), &size, octets(message), message.size()) !=
          1) {
    fail_libcrypto("signing");
  }
  return signature;
}

Ed25519Key public_key_of(const Ed25519Key& seed) {
  const Pkey secret = secret_key(seed);
  Ed25519Key key{};
  std::size_t size = key.size();
  if (EVP_PKEY_get_raw_public_key(secret.get(), written(key), &size) != 1)
    fail_libcrypto("computing a public key");
  return key;
}

bool is_signed(base::ByteView message, const Ed25519Signature& signature, const Ed25519Key& key) {
  if (has_small_order(key)) return false;
  if (fits(message, signature, key)) return true;
  // Where it had no memory, libcrypto says of any signature that it does not fit, for as long as
  // the process runs: so it is asked about one that does.
  const Ed25519Key seed{};
  const std::array<std::byte, 1> known{};
  if (!fits(known, sign(known, seed), public_key_of(seed))) fail_libcrypto("checking a signature");
  return fits(message, signature, key);
}

#else

void require_libcrypto() {
  throw Error(ErrorKind::usage,
              "built without libcrypto (OpenSSL): it cannot sign, nor check signatures");
}

bool is_signed(base::ByteView /*message*/, const Ed25519Signature& /*signature*/,
               const Ed25519Key& /*key*/) {
  require_libcrypto();
  return false;
}

Ed25519Signature sign(base::ByteView /*message*/, const Ed25519Key& /*seed*/) {
  require_libcrypto();
  return {};
}

Ed25519Key public_key_of(const Ed25519Key& /*seed*/) {
  require_libcrypto();
  return {};
}

#endif

}  // namespace crivo::trust
