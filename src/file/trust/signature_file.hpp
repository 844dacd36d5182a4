// SPDX-License-Identifier: Apache-2.0
/// FILE.minisig, as minisign writes it, and what its trusted comment says where it is of ours.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "file/content_id.hpp"
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

struct Statement {
  std::uint64_t bytes = 0;                ///< the length of the file
  std::optional<file::Digest> root{};     ///< nothing where the file has no hash tree
  std::optional<file::Digest> records{};  ///< of the file of a store's records
  std::uint64_t sequence = 0;
  std::optional<std::chrono::sys_seconds> expires{};

  friend bool operator==(const Statement&, const Statement&) = default;
};

/// "crivo 1 root=HEX records=HEX bytes=N sequence=N expires=TIME", of which what is not set, and a
/// sequence of 0, is left out.
std::string comment_of(const Statement& statement);

/// Nothing for a comment that does not begin with "crivo ". Throws Error(corrupt), or
/// Error(too_new) for one of a later version or with a field that is unknown; the message begins
/// with `name`.
std::optional<Statement> parse_comment(std::string_view comment, const std::string& name);

}  // namespace crivo::trust
