// SPDX-License-Identifier: Apache-2.0
#include "program/remote_index.hpp"

#include <cerrno>
#include <chrono>
#include <string>
#include <utility>

#include "crivo/error.hpp"
#include "crivo/remote.hpp"
#include "http/shown_url.hpp"
#include "program/common.hpp"
#include "program/option_groups.hpp"
#include "program/values.hpp"
#ifdef CRIVO_HTTP
#include "http/http_source.hpp"
#endif

namespace crivo::cli {

bool is_url(std::string_view path) noexcept {
  return path.starts_with("http://") || path.starts_with("https://");
}

void refuse_url(const std::string& url) {
  throw Error(ErrorKind::usage,
              http::shown_url(url) +
                  ": this crivo was built without libcurl, and reads no URLs; download the file");
}

void Patience::add_to(CLI::App& command) {
  command
      .add_option("--timeout", timeout,
                  "URL: give up if the server takes so long to connect, or sends less than 1,000 "
                  "bytes a second for so long")
      ->type_name("SECONDS")
      ->transform(count_value(1, 1'000'000))
      ->capture_default_str();
  command
      .add_option("--retry", retries,
                  "URL: ask so often again if the server cannot be reached or is busy, after a "
                  "pause that grows")
      ->type_name("N")
      ->transform(count_value(0, 20))
      ->capture_default_str();
}

void RemoteAccess::add_to(CLI::App& command) {
  const InGroup opening(command, kOpeningGroup);
  command
      .add_flag("--unsigned", is_unsigned, "URL: need no signature, because you trust the server")
      ->excludes(option_named(command, "--public-key"));
  CLI::Option* const folder =
      command.add_option("--cache", cache, "URL: keep what was read in this directory")
          ->type_name("DIR");
  command.add_option("--cache-size", cache_bytes, "URL: the most that --cache keeps")
      ->type_name("SIZE")
      ->transform(size_value(1, std::uint64_t{1} << 50, true))
      ->default_str("1G")
      ->needs(folder);
  command.add_flag("--follow-changes", follows_changes,
                   "URL: if the file is replaced meanwhile, ask the new one what is left");
  patience.add_to(command);
}

void RemoteAccess::require_choice(const std::string& url, const TrustOptions& trust) const {
  if (is_unsigned || !trust.public_keys.empty()) return;
  throw Error(ErrorKind::usage, http::shown_url(url) +
                                    ": name the --public-key of its maker; or, if you trust "
                                    "the server, --unsigned");
}

void RemoteAccess::require_url(const std::string& path) const {
  const char* const given = is_unsigned       ? "--unsigned"
                            : !cache.empty()  ? "--cache"
                            : follows_changes ? "--follow-changes"
                                              : nullptr;
  if (given != nullptr)
    throw Error(ErrorKind::usage, std::string(given) + " needs a URL, not a path: " + path);
}

#ifdef CRIVO_HTTP

namespace {

/// A file, or a store, over connections that live as long.
struct OpenedUrl {
  OpenedUrl(const std::string& url, const TrustOptions& trust, const RemoteAccess& access)
      : client(http::ClientOptions{.patience = std::chrono::seconds(access.patience.timeout),
                                   .retries = access.patience.retries}),
        remote(open(url, trust, access)) {}

  Remote open(const std::string& url, const TrustOptions& trust, const RemoteAccess& access) {
    if (url.ends_with('/')) return open_file(url + kStoreIndex, url, trust, access);
    try {
      return open_file(url, url, trust, access);
    } catch (const Error& error) {
      if (error.place().system_error != ENOENT) throw;
      try {
        return open_file(url + "/" + kStoreIndex, url, trust, access);
      } catch (const Error& other) {
        if (other.place().system_error != ENOENT) throw;
      }
      throw;  // it is no store, either
    }
  }
  Remote open_file(const std::string& file, const std::string& url, const TrustOptions& trust,
                   const RemoteAccess& access) {
    RemoteOptions options{.name = http::shown_url(url),
                          .trust = trust.trust(),
                          .cache_folder = access.cache,
                          .cache_folder_bytes = access.cache_bytes,
                          .open_sibling = [this, file](const std::string& name) {
                            return http::source_of(client, http::url_beside(file, name), false);
                          }};
    const auto source = [this, file, is_signed = options.trust.has_value()] {
      return http::source_of(client, file, is_signed);
    };
    if (access.follows_changes) options.open_again = source;
    return Remote::open(source(), options);
  }

  static constexpr const char* kStoreIndex = "index.crv";

  http::Client client;
  Remote remote;
};

}  // namespace

UrlIndex open_url(const std::string& url, const TrustOptions& trust, const RemoteAccess& access) {
  access.require_choice(url, trust);
  const auto opened = std::make_shared<OpenedUrl>(url, trust, access);
  return {{opened, &opened->remote.index()}, opened->remote.signature()};
}

#else

UrlIndex open_url(const std::string& url, const TrustOptions& trust, const RemoteAccess& access) {
  access.require_choice(url, trust);
  refuse_url(url);
}

#endif

std::shared_ptr<OpenIndex> open_if_url(const std::string& path, const OpenModeOption& mode,
                                       const TrustOptions& trust, const RemoteAccess& access) {
  if (!is_url(path)) {
    access.require_url(path);
    return nullptr;
  }
  if (mode.mode != "mapped")
    throw Error(ErrorKind::usage, "--open cannot be used with a URL: " + path);
  return open_url(path, trust, access).index;
}

}  // namespace crivo::cli
