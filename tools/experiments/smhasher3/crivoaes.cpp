// SPDX-License-Identifier: Apache-2.0
// The keyed hash of AES rounds as SMHasher3 takes hashes: whole, and each half by itself. README.md
// says how to build it.

#include <cstring>
#include <memory>
#include <string_view>

// The second needs the first.
// clang-format off
#include "Platform.h"
#include "Hashlib.h"
// clang-format on

#include "hashing/aes_hash.hpp"

namespace {

using crivo::hashing::aes_hash;
using crivo::hashing::PreparedHash;

thread_local std::unique_ptr<const PreparedHash> prepared;

std::uintptr_t prepare(const seed_t seed) {
  prepared = aes_hash({seed, 0});
  return 0;
}

/// `kBytes` of the hash from `kFrom` on.
template <std::size_t kFrom, std::size_t kBytes>
void hash(const void* text, const std::size_t size, const seed_t, void* out) {
  const crivo::Hash128 whole = (*prepared)({static_cast<const char*>(text), size});
  std::memcpy(out, reinterpret_cast<const char*>(&whole) + kFrom, kBytes);
}

}  // namespace

REGISTER_FAMILY(crivoaes, $.src_url = "", $.src_status = HashFamilyInfo::SRC_ACTIVE);

#define CRIVO_HASH(name, size, function)                                                        \
  REGISTER_HASH(name, $.desc = "Crivo's hash of AES rounds", $.hash_flags = 0,                  \
                $.impl_flags = FLAG_IMPL_LICENSE_APACHE2, $.bits = size, $.verification_LE = 0, \
                $.verification_BE = 0, $.seedfn = prepare, $.hashfn_native = function,          \
                $.hashfn_bswap = function)

using WholeHash = void(const void*, const std::size_t, const seed_t, void*);
constexpr WholeHash* kWhole = hash<0, 16>;
constexpr WholeHash* kFirst = hash<0, 8>;
constexpr WholeHash* kSecond = hash<8, 8>;

CRIVO_HASH(crivo_aes, 128, kWhole);
CRIVO_HASH(crivo_aes_hi, 64, kFirst);
CRIVO_HASH(crivo_aes_lo, 64, kSecond);
