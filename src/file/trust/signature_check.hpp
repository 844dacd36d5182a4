// SPDX-License-Identifier: Apache-2.0
/// Checking a file against its signature.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crivo/open.hpp"
#include "crivo/progress.hpp"
#include "file/container.hpp"
#include "file/trust/signature_file.hpp"

namespace crivo::trust {

using KnownSequences = std::map<std::string, std::uint64_t, std::less<>>;

/// Throws Error(corrupt), which begins with `name`.
KnownSequences decode_known(std::string_view text, const std::string& name);
std::string encode(const KnownSequences& known);

/// Throws Error(corrupt): a lower sequence than the one that the file `state` has of `name`;
/// Error(io).
void refuse_older(const std::filesystem::path& state, const std::string& name,
                  std::uint64_t sequence, const std::string& signature);

/// The same, and puts a higher one into the file, which is replaced at once, under its lock.
/// Throws also Error(usage) for what cannot be replaced.
void note_sequence(const std::filesystem::path& state, const std::string& name,
                   std::uint64_t sequence, const std::string& signature);

/// The signature of a file, whose key, trusted comment, expiry and sequence were checked. What it
/// says of the bytes is checked by the members; after check_root() that is left to who verifies the
/// container's hash tree.
class SignatureCheck {
 public:
  /// Checks `file`, whose sequence the state keeps under each of `names`: under none, and then its
  /// expiry is none, where another signature says how new the whole is. Throws Error(corrupt) that
  /// says which check failed; Error(too_new), Error(io), Error(usage) without libcrypto. `trust`
  /// must outlive this.
  SignatureCheck(const std::filesystem::path& file, std::vector<std::string> names,
                 const Trust& trust);
  /// The same of the `text` of a signature, which messages call `path`.
  SignatureCheck(std::string_view text, std::string path, std::vector<std::string> names,
                 const Trust& trust);

  /// The length and the root. Throws Error(corrupt). Of a manifest, its own.
  void check_root(const file::Container& container) const;
  /// Whether the hash tree does not vouch for the file's bytes: check_bytes() must.
  bool needs_bytes() const noexcept { return !statement_ || !statement_->root; }
  /// The BLAKE2b-512 of all bytes of the file, if needs_bytes(); a manifest's parts are named by
  /// their roots. Throws Error(corrupt). `progress` is told of the bytes.
  void check_bytes(const file::Container& container, Progress& progress) const;
  /// Whether the length, where it is stated, and the BLAKE2b-512 are those of `bytes`, a whole
  /// file.
  bool is_of(base::ByteView bytes) const;
  /// Nothing where the comment is not of ours.
  const std::optional<Statement>& statement() const noexcept { return statement_; }
  /// The root of the file of a store's records. Throws Error(corrupt).
  void check_records(const file::Container& records) const;

  /// Keeps the sequence in the state, if the caller has one. Last, when all is checked.
  void note_seen() const;

  Signature signature() const;

 private:
  /// All that needs no byte of the file.
  void check_statement();
  [[noreturn]] void fail(const std::string& problem) const;
  void find_key();
  void check_freshness() const;

  const Trust& trust_;
  std::vector<std::string> names_;  ///< in the state
  std::string path_;                ///< of the signature
  SignatureFile file_;
  const PublicKey* key_ = nullptr;
  std::optional<Statement> statement_;
};

/// The container of the file itself: of an opened manifest, its own.
const file::Container& own_container(const file::Container& container) noexcept;

}  // namespace crivo::trust
