// SPDX-License-Identifier: Apache-2.0
/// Secret keys as minisign writes them, and scrypt, which encrypts them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "crivo/error.hpp"
#include "file/trust/libcrypto.hpp"
#include "file/trust/signature_file.hpp"

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

/// Wiped when it goes.
struct SecretKey {
  SecretKey() = default;
  ~SecretKey();
  SecretKey(const SecretKey&) = delete;
  SecretKey& operator=(const SecretKey&) = delete;
  SecretKey(SecretKey&&) = delete;
  SecretKey& operator=(SecretKey&&) = delete;

  std::uint64_t id = 0;
  Ed25519Key seed{};
};

/// Returns the cost that libsodium's crypto_pwhash_scryptsalsa208sha256() takes of its two limits
/// (pwhash_scryptsalsa208sha256.c): r is 8, n the highest power of two for the memory, or for the
/// operations if these are fewer than a 32nd of it, and p what is left of the operations.
ScryptCost scrypt_cost(std::uint64_t operations, std::uint64_t memory) noexcept;

/// Reads the file into `key`. `password` is called if it is encrypted; null: Error(usage) then.
/// Throws Error(usage) for another file and for a wrong password, Error(io).
void read_secret_key(const std::filesystem::path& path,
                     const std::function<std::string()>& password, SecretKey& key);

/// Adds a warning where others than the owner of the file may read it or write to it.
void warn_of_rights(const std::filesystem::path& path, std::vector<Warning>& warnings);

/// Signs the BLAKE2b-512 of a file, and then that signature with what is stated of the file.
SignatureFile make_signature(base::ByteView hash, const Statement& statement, const SecretKey& key);

}  // namespace crivo::trust
