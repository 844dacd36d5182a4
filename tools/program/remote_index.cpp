// SPDX-License-Identifier: Apache-2.0
#include "program/remote_index.hpp"

#include <string>
#include <utility>
#include <vector>

#include "crivo/error.hpp"
#include "crivo/inspect.hpp"
#include "crivo/remote.hpp"
#include "crivo/value_form.hpp"
#include "http/shown_url.hpp"
#include "program/common.hpp"
#include "program/option_groups.hpp"
#include "program/values.hpp"
#ifdef CRIVO_HTTP
#include "http/http_source.hpp"
#endif

namespace crivo::cli {
namespace {

#ifdef CRIVO_HTTP

class RemoteIndex final : public OpenIndex {
 public:
  RemoteIndex(const std::string& url, std::unique_ptr<http::Client> client, Remote remote)
      : OpenIndex(http::shown_url(url), remote.kind()),
        client_(std::move(client)),
        remote_(std::move(remote)) {}

  std::uint64_t size() const noexcept override { return remote_.size(); }
  /// So that all keys of a batch take one round trip.
  std::size_t keys_at_once() const noexcept override { return 1000; }

  void answer(const Key& key, const Visit& visit) override {
    const std::string_view text = key.text();
    answer(std::span(&text, 1), visit);
  }
  void answer(std::span<const std::string_view> keys, const Visit& visit) override {
    const std::vector<Remote::Found> found = remote_.find(keys);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!found[i].found) {
        visit(keys[i], {});
      } else if (const auto form = remote_.value_form()) {
        const std::string text = value_text(found[i].value, *form);
        visit(keys[i],
              {.found = true, .is_number = form->type != ValueType::decimal, .text = text});
      } else {
        visit(keys[i], {.found = true, .text = "maybe"});
      }
    }
  }

  FileInfo info() const override { refuse("told about"); }
  void verify(const Resources& /*resources*/) const override { refuse("verified"); }

 private:
  [[noreturn]] void refuse(const char* what) const {
    throw Error(ErrorKind::usage, name() + ": cannot be " + what + " at a URL; download the file");
  }

  std::unique_ptr<http::Client> client_;
  Remote remote_;
};

#endif

}  // namespace

bool is_url(std::string_view path) noexcept {
  return path.starts_with("http://") || path.starts_with("https://");
}

void refuse_url(const std::string& url) {
  throw Error(ErrorKind::usage,
              http::shown_url(url) +
                  ": this crivo was built without libcurl, and reads no URLs; download the file");
}

void add_timeout(CLI::App& command, std::uint64_t& seconds) {
  command
      .add_option("--timeout", seconds,
                  "URL: give up if the server takes so long to connect, or sends less than 1,000 "
                  "bytes a second for so long")
      ->type_name("SECONDS")
      ->transform(count_value(1, 1'000'000))
      ->capture_default_str();
}

void RemoteAccess::add_to(CLI::App& command) {
  const InGroup opening(command, kOpeningGroup);
  command
      .add_flag("--unsigned", is_unsigned, "URL: need no signature, because you trust the server")
      ->excludes(option_named(command, "--public-key"));
  add_timeout(command, timeout);
}

void RemoteAccess::require_choice(const std::string& url, const TrustOptions& trust) const {
  if (is_unsigned || !trust.public_keys.empty()) return;
  throw Error(ErrorKind::usage, http::shown_url(url) +
                                    ": name the --public-key of its maker; or, if you trust "
                                    "the server, --unsigned");
}

std::unique_ptr<OpenIndex> open_url(const std::string& url, const TrustOptions& trust,
                                    const RemoteAccess& access) {
  access.require_choice(url, trust);
#ifdef CRIVO_HTTP
  auto client = std::make_unique<http::Client>(http::ClientOptions{.patience = access.patience()});
  RemoteOptions options{.name = http::shown_url(url), .trust = trust.trust()};
  Remote remote = Remote::open(http::source_of(*client, url, options.trust.has_value()), options);
  return std::make_unique<RemoteIndex>(url, std::move(client), std::move(remote));
#else
  refuse_url(url);
#endif
}

}  // namespace crivo::cli
