// SPDX-License-Identifier: Apache-2.0
#include "http/http_site.hpp"

#include <utility>

#include "crivo/error.hpp"
#include "http/shown_url.hpp"

namespace crivo::http {
namespace {

std::string without_end(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

class HttpSite final : public Site {
 public:
  HttpSite(Client& client, std::string url)
      : Site(without_end(shown_url(url))), client_(client), url_(without_end(std::move(url))) {}

  void read(const std::string& name, std::uint64_t most, const Take& take) override {
    const Request request{.url = url_ + "/" + name, .most_bytes = most, .take = take};
    if (client_.get(std::span(&request, 1)).front().found) return;
    const std::string shown = location() + "/" + name;
    throw Error(ErrorKind::io, shown + ": is not on the server", {.file = shown});
  }

 private:
  Client& client_;
  std::string url_;  ///< with a password, if there is one, which the location has not
};

}  // namespace

std::unique_ptr<Site> site_of(Client& client, std::string url) {
  return std::make_unique<HttpSite>(client, std::move(url));
}

}  // namespace crivo::http
