// SPDX-License-Identifier: Apache-2.0
/// Files in formats of others, which answer as files of Crivo do. Of libcrivo-foreign.
///
///     if (crivo::foreign::format_of(path) != nullptr) index = crivo::foreign::open(path);
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "crivo/detail/export.hpp"
#include "crivo/exact.hpp"
#include "crivo/index.hpp"
#include "crivo/open.hpp"

namespace crivo::foreign {

/// Describes a format (tools/doc/formats-of-others.md).
struct FormatInfo {
  std::string_view name;
  std::string_view kind;    ///< the name of one of kinds() that answers alike
  std::string_view help;    ///< a line
  std::string_view limits;  ///< what a file of it cannot tell: a sentence
  bool built = true;        ///< build() makes it of keys
};

/// Lists the formats.
CRIVO_API std::span<const FormatInfo> formats() noexcept;

/// Tells the format of a file from its first bytes, which for some are few: open() reads the rest.
/// Returns null for anything else, also for what cannot be read.
CRIVO_API const FormatInfo* format_of(const std::filesystem::path& path) noexcept;

/// Opens a file of one of formats(). Its size() is 0 where the format does not tell it, and
/// verify() checks what can be checked: that the file is well formed. Throws Error: corrupt, io,
/// usage (a file of none of them, or an option that has no meaning for it).
CRIVO_API std::unique_ptr<OpenIndex> open(const std::filesystem::path& path,
                                          const OpenOptions& options = {});

/// Asks a clubcard in a mapped file which certificates of the issuers and logs that it covers are
/// revoked. Version 4 of C2SP's upki-revocation. Immutable once open; lookups may run in any number
/// of threads, and read no byte outside the file, whatever it holds. There is no checksum: changed
/// bits are wrong answers. Movable; not copyable.
class CRIVO_API Clubcard {
 public:
  /// Throws Error: corrupt, io.
  static Clubcard open(const std::filesystem::path& path, const OpenOptions& options = {});
  ~Clubcard();
  Clubcard(Clubcard&&) noexcept;
  Clubcard& operator=(Clubcard&&) noexcept;

  /// Returns the number of issuers.
  std::size_t issuers() const noexcept;
  /// Tells of a certificate whether it is a member: revoked. `issuer` is the SHA-256 of its
  /// issuer's public key, 32 bytes, and `serial` its serial number as it stands in DER. `outside`
  /// if the issuer is not enrolled. One SHA-256 and some ten cache misses, at most.
  ExactAnswer contains(std::span<const std::byte> issuer, std::string_view serial) const;
  /// Returns whether certificates that a log (its id of 32 bytes) dated so, in milliseconds since
  /// 1970, are answered for. contains() does not ask.
  bool covers(std::span<const std::byte> log, std::uint64_t time) const noexcept;

 private:
  struct CRIVO_LOCAL Impl;
  explicit Clubcard(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace crivo::foreign
