// SPDX-License-Identifier: Apache-2.0
#include "ship/secret_key.hpp"

#if defined(CRIVO_LIBCRYPTO)
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <limits>
#include <memory>

#include "base/loaded_library.hpp"
#endif

#include "file/trust/libcrypto.hpp"

namespace crivo::trust {

#if defined(CRIVO_LIBCRYPTO)

namespace {

constinit base::LoadedLibrary libcrypto("libcrypto", "libcrypto.so.3");

CRIVO_LOADED(libcrypto, EVP_KDF_CTX_free);
CRIVO_LOADED(libcrypto, EVP_KDF_CTX_new);
CRIVO_LOADED(libcrypto, EVP_KDF_derive);
CRIVO_LOADED(libcrypto, EVP_KDF_fetch);
CRIVO_LOADED(libcrypto, EVP_KDF_free);
CRIVO_LOADED(libcrypto, OSSL_PARAM_construct_end);
CRIVO_LOADED(libcrypto, OSSL_PARAM_construct_octet_string);
CRIVO_LOADED(libcrypto, OSSL_PARAM_construct_uint32);
CRIVO_LOADED(libcrypto, OSSL_PARAM_construct_uint64);

struct FreeKdf {
  void operator()(EVP_KDF* kdf) const noexcept { EVP_KDF_free(kdf); }
  void operator()(EVP_KDF_CTX* context) const noexcept { EVP_KDF_CTX_free(context); }
};
using Kdf = std::unique_ptr<EVP_KDF, FreeKdf>;
using KdfContext = std::unique_ptr<EVP_KDF_CTX, FreeKdf>;

}  // namespace

void scrypt(std::string_view password, base::ByteView salt, const ScryptCost& cost,
            std::span<std::byte> derived) {
  const Kdf kdf(EVP_KDF_fetch(libcrypto_context(), "SCRYPT", nullptr));
  const KdfContext context(kdf ? EVP_KDF_CTX_new(kdf.get()) : nullptr);
  if (!context) fail_libcrypto("scrypt");
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
  if (EVP_KDF_derive(context.get(), reinterpret_cast<unsigned char*>(derived.data()),
                     derived.size(), parameters) != 1)
    fail_libcrypto("scrypt");
}

#else

void scrypt(std::string_view /*password*/, base::ByteView /*salt*/, const ScryptCost& /*cost*/,
            std::span<std::byte> /*derived*/) {
  require_libcrypto();
}

#endif

}  // namespace crivo::trust
