// SPDX-License-Identifier: Apache-2.0
/// An index on a web server, of which lookups read ranges.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "crivo/index.hpp"
#include "crivo/open.hpp"
#include "program/open_mode.hpp"
#include "program/trust_options.hpp"

namespace crivo::cli {

/// Whether a path names a web server's file. (./http://... is one of this machine.)
bool is_url(std::string_view path) noexcept;

/// Throws Error(usage): the program was built without libcurl.
[[noreturn]] void refuse_url(const std::string& url);

/// --timeout, --retry.
struct Patience {
  void add_to(CLI::App& command);

  std::uint64_t timeout = 30;  ///< seconds
  unsigned retries = 2;
};

/// --unsigned, --cache, --cache-size, --follow-changes, and those.
struct RemoteAccess {
  /// Call it after TrustOptions::add_to().
  void add_to(CLI::App& command);
  /// Throws Error(usage) unless a key or --unsigned was given.
  void require_choice(const std::string& url, const TrustOptions& trust) const;
  /// Throws Error(usage) if --unsigned or --cache was given for a path.
  void require_url(const std::string& path) const;

  bool is_unsigned = false;
  bool follows_changes = false;
  std::filesystem::path cache;
  std::uint64_t cache_bytes = std::uint64_t{1} << 30;
  Patience patience;
};

/// An index at a URL, and its signature if it had to have one.
struct UrlIndex {
  std::shared_ptr<OpenIndex> index;
  std::optional<Signature> signature;
};

/// Opens the file at a URL, or the store in the directory there. Throws as Remote::open(),
/// http::Client and refuse_url() do.
UrlIndex open_url(const std::string& url, const TrustOptions& trust, const RemoteAccess& access);
/// The same of what may be a path, of which it returns null. Throws Error(usage), too, for options
/// that go with one of both and not with the other.
std::shared_ptr<OpenIndex> open_if_url(const std::string& path, const OpenModeOption& mode,
                                       const TrustOptions& trust, const RemoteAccess& access);

}  // namespace crivo::cli
