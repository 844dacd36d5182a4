// SPDX-License-Identifier: Apache-2.0
/// FILE.minisig, as minisign writes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "file/trust/libcrypto.hpp"

namespace crivo::trust {

struct SignatureFile {
  std::uint64_t key_id = 0;
  Ed25519Signature signature{};          ///< of the BLAKE2b-512 of the file
  std::string comment{};                 ///< the trusted one
  Ed25519Signature comment_signature{};  ///< of the first one and the trusted comment
};

/// A limit of minisign.
inline constexpr std::size_t kMostCommentBytes = 8192;
/// The most bytes of the file: that limit for each of two comments, and more than the two
/// signatures take.
inline constexpr std::size_t kMostSignatureFileBytes = 2 * kMostCommentBytes + 1024;

/// Four lines, each with its end. What the untrusted comment says is not kept. Throws
/// Error(corrupt), which begins with `name`; also for a legacy signature, which is of the file and
/// not of its hash.
SignatureFile decode_signature(std::string_view text, const std::string& name);
std::string encode(const SignatureFile& signature);

/// The bytes that the second signature is of.
base::Bytes signed_comment(const SignatureFile& signature);

/// Where the signature of a file is.
std::filesystem::path signature_path(const std::filesystem::path& file);

/// Reads it. Throws Error(corrupt) also if there is none, Error(io).
SignatureFile read_signature(const std::filesystem::path& file);

}  // namespace crivo::trust
