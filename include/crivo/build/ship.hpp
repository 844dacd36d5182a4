// SPDX-License-Identifier: Apache-2.0
/// Signing, publishing and fetching files.
///
///     crivo::sign("urls.crv", {.secret_key = "publisher.key", .sequence = 1});
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "crivo/detail/export.hpp"
#include "crivo/error.hpp"
#include "crivo/open.hpp"
#include "crivo/progress.hpp"

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

struct PublishOptions {
  /// The file of a secret key of minisign, and what is called for its password, as in SignOptions.
  std::filesystem::path secret_key{};
  std::function<std::string()> password{};
  /// Must be above that of what is published there, and at least 1; not set: the next one.
  std::optional<std::uint64_t> sequence{};
  /// Readers refuse the whole set from then on.
  std::optional<std::chrono::sys_seconds> expires{};
  Resources resources{};
};

struct PublishSummary {
  std::filesystem::path signature{};  ///< DIR/current.minisig
  std::string key_id{};               ///< 16 hexadecimal digits, as minisign prints them
  std::string comment{};              ///< the trusted comment
  std::uint64_t sequence = 0;
  std::uint64_t files = 0;  ///< of the set
  std::uint64_t added = 0;  ///< that were not there before
  std::vector<Warning> warnings{};
};

/// Makes `paths`, files and directories with all files in them, the current set of `directory`:
/// what is an index file or a store is verified, as by verify(); files that are not there are
/// copied to DIRECTORY/files under their SHA-256, then the list of all is written to
/// DIRECTORY/contents-SEQUENCE, and last DIRECTORY/current.minisig, its signature, is replaced at
/// once: readers see the old set or the new one, and both stay until a third is published.
/// formats/published.md specifies all of it.
///
/// Throws Error(usage) for two files of one name, a name that no list may have, a sequence that is
/// not above the last, a wrong key, and in a build without libcrypto; Error(corrupt) for a damaged
/// file; Error(io). O(bytes).
CRIVO_API PublishSummary publish(const std::vector<std::filesystem::path>& paths,
                                 const std::filesystem::path& directory,
                                 const PublishOptions& options);

/// Reads a directory that publish() made, wherever it is: what it gives is not trusted.
class CRIVO_API Site {
 public:
  /// `location` is what messages call it, such as its URL.
  explicit Site(std::string location);
  virtual ~Site();
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;
  const std::string& location() const noexcept { return location_; }

  /// Called with the bytes of a file, piece by piece; what it throws goes through.
  using Take = std::function<void(std::span<const std::byte>)>;
  /// Reads the file of that name, such as "current.minisig" or "files/HEX", of which no more than
  /// `most` bytes are wanted: what has more may be cut off there, or be an error. Throws Error(io)
  /// also if there is no such file.
  virtual void read(const std::string& name, std::uint64_t most, const Take& take) = 0;

  /// One of this machine.
  static std::unique_ptr<Site> of_directory(const std::filesystem::path& path);

 private:
  std::string location_;
};

struct FetchSummary {
  bool is_new = false;  ///< whether the set has changed
  std::uint64_t sequence = 0;
  std::optional<std::chrono::sys_seconds> expires{};
  std::string key_id{};
  std::uint64_t files = 0;          ///< of the set
  std::uint64_t fetched = 0;        ///< of them, that were not here
  std::uint64_t fetched_bytes = 0;  ///< of these
  std::filesystem::path current{};  ///< DIRECTORY/current
  std::vector<Warning> warnings{};  ///< what went wrong when the new set was in place already
};

/// Brings the set of files that `site` publishes into `directory`, which is made if it is missing:
/// DIRECTORY/current is a symbolic link to a directory with all of them under their names, and the
/// signed list of them, `contents` with `contents.minisig`. The link is replaced at once when every
/// byte of the new set was checked and is durable, so that readers see the old set or the new one,
/// also after a crash; the old one stays until the next comes, so that what is open stays whole.
/// Files that are here already are linked and not fetched. One call at a time works in a directory,
/// others wait.
///
/// Throws Error(corrupt), and the set stays as it was: for a signature that is missing, altered,
/// expired or of another key, a set with a lower sequence than the one that is here
/// or that Trust says, other files under the same sequence, and files that are not as the list
/// says. Throws Error(io), Error(usage).
CRIVO_API FetchSummary fetch(Site& site, const std::filesystem::path& directory,
                             const Trust& trust);

}  // namespace crivo
