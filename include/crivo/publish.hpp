// SPDX-License-Identifier: Apache-2.0
/// Publishing files as a directory that any web server can serve, for fetch() of crivo/fetch.hpp.
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

}  // namespace crivo
