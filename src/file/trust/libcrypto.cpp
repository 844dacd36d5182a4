// SPDX-License-Identifier: Apache-2.0
#include "file/trust/libcrypto.hpp"

#include "crivo/error.hpp"

#if defined(CRIVO_LIBCRYPTO)
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <array>
#include <limits>
#include <memory>
#include <string>
#endif

namespace crivo::trust {

#if defined(CRIVO_LIBCRYPTO)

namespace {

template <auto kFree>
struct FreeBy {
  template <typename T>
  void operator()(T* object) const noexcept {
    kFree(object);
  }
};
using Pkey = std::unique_ptr<EVP_PKEY, FreeBy<EVP_PKEY_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, FreeBy<EVP_MD_CTX_free>>;
using Kdf = std::unique_ptr<EVP_KDF, FreeBy<EVP_KDF_free>>;
using KdfContext = std::unique_ptr<EVP_KDF_CTX, FreeBy<EVP_KDF_CTX_free>>;

const unsigned char* octets(base::ByteView bytes) noexcept {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* written(std::span<std::byte> bytes) noexcept {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

/// Throws Error(io): what libcrypto says of its last failure. Its list of failures is emptied, as
/// that of a thread which may go on.
[[noreturn]] void fail(const char* what) {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  const std::string message = std::string("libcrypto: ") + what + " failed" +
                              (reason != nullptr ? std::string(": ") + reason : std::string());
  ERR_clear_error();
  throw Error(ErrorKind::io, message);
}

Pkey secret_key(const Ed25519Key& seed) {
  Pkey key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, octets(seed), seed.size()));
  if (!key) fail("taking a secret key");
  return key;
}

bool fits(base::ByteView message, const Ed25519Signature& signature, const Ed25519Key& key) {
  const Pkey made(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, octets(key), key.size()));
  const DigestContext context(EVP_MD_CTX_new());
  if (!made || !context ||
      EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, made.get()) != 1) {
    fail("taking a public key");
  }
  const int result = EVP_DigestVerify(context.get(), octets(signature), signature.size(),
                                      octets(message), message.size());
  ERR_clear_error();  // a signature that does not fit is noted as a failure
  return result == 1;
}

}  // namespace

void require_libcrypto() {}

Ed25519Signature sign(base::ByteView message, const Ed25519Key& seed) {
  const Pkey key = secret_key(seed);
  const DigestContext context(EVP_MD_CTX_new());
  Ed25519Signature signature{};
  std::size_t size = signature.size();
  if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1 ||
      EVP_DigestSign(context.get(), written(signature), &size, octets(message), message.size()) !=
          1) {
    fail("signing");
  }
  return signature;
}

Ed25519Key public_key_of(const Ed25519Key& seed) {
  const Pkey secret = secret_key(seed);
  Ed25519Key key{};
  std::size_t size = key.size();
  if (EVP_PKEY_get_raw_public_key(secret.get(), written(key), &size) != 1)
    fail("computing a public key");
  return key;
}

bool is_signed(base::ByteView message, const Ed25519Signature& signature, const Ed25519Key& key) {
  if (fits(message, signature, key)) return true;
  // Where it had no memory, libcrypto says of any signature that it does not fit, for as long as
  // the process runs: so it is asked about one that does.
  const Ed25519Key seed{};
  const std::array<std::byte, 1> known{};
  if (!fits(known, sign(known, seed), public_key_of(seed))) fail("checking a signature");
  return fits(message, signature, key);
}

void scrypt(std::string_view password, base::ByteView salt, const ScryptCost& cost,
            std::span<std::byte> derived) {
  const Kdf kdf(EVP_KDF_fetch(nullptr, "SCRYPT", nullptr));
  const KdfContext context(kdf ? EVP_KDF_CTX_new(kdf.get()) : nullptr);
  if (!context) fail("scrypt");
  ScryptCost own = cost;
  std::uint64_t most_memory = std::numeric_limits<std::uint64_t>::max();
  // The interface takes all of them as if it could change them.
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_PASSWORD, const_cast<char*>(password.data()),
                                        password.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, const_cast<std::byte*>(salt.data()),
                                        salt.size()),
      OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_N, &own.n),
      OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_R, &own.r),
      OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_P, &own.p),
      OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_MAXMEM, &most_memory),
      OSSL_PARAM_construct_end()};
  if (EVP_KDF_derive(context.get(), written(derived), derived.size(), parameters) != 1)
    fail("scrypt");
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

void scrypt(std::string_view /*password*/, base::ByteView /*salt*/, const ScryptCost& /*cost*/,
            std::span<std::byte> /*derived*/) {
  require_libcrypto();
}

#endif

}  // namespace crivo::trust
