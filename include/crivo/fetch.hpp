// SPDX-License-Identifier: Apache-2.0
/// Keeping up with what somebody publishes by publish() of crivo/publish.hpp.
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

#include "crivo/export.hpp"
#include "crivo/trust.hpp"
#include "crivo/warning.hpp"

namespace crivo {

/// A directory that publish() made, wherever it is: what it gives is not trusted.
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
