// SPDX-License-Identifier: Apache-2.0
/// Signing files, so that minisign and crivo/trust.hpp can check them.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "crivo/export.hpp"
#include "crivo/resources.hpp"
#include "crivo/warning.hpp"

namespace crivo {

struct SignOptions {
  /// The file of a secret key of minisign.
  std::filesystem::path secret_key{};
  /// Called for the password if the key is encrypted; not set: such a key is Error(usage).
  std::function<std::string()> password{};
  /// Counts the files that were published under one name; readers can refuse a lower one.
  std::uint64_t sequence = 0;
  /// Readers refuse the file from then on.
  std::optional<std::chrono::sys_seconds> expires{};
  /// Whether a signature that is there may be replaced; else that is Error(usage).
  bool replace = false;
  Resources resources{};
};

struct SignSummary {
  std::filesystem::path output;  ///< the signature
  std::string key_id;            ///< 16 hexadecimal digits, as minisign prints them
  std::string comment;           ///< the trusted comment
  std::vector<Warning> warnings;
};

/// Verifies an index file, a manifest or a store's directory, as verify() does, and writes its
/// signature: FILE.minisig, or DIR/index.crv.minisig. The file itself is not changed. The signature
/// is Ed25519 of the BLAKE2b-512 of the file, as `minisign -S` makes it; its trusted comment has
/// the root of the hash tree, the length, the sequence and the expiry. It appears whole or not at
/// all. A key with a password takes the memory that minisign took for it, 1 GB by default.
///
/// Throws Error(corrupt) for a damaged file, and nothing is signed; Error(usage) for a file that
/// cannot be signed (a step of a sharded build, a store of the backend lmdb or with updates), for a
/// file that is no secret key, a wrong password, and in a build without libcrypto; Error(io).
/// O(bytes), the BLAKE2b-512 at some 0.8 GB a second on one thread.
CRIVO_API SignSummary sign(const std::filesystem::path& path, const SignOptions& options);

}  // namespace crivo
