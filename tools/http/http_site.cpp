// SPDX-License-Identifier: Apache-2.0
#include "http/http_site.hpp"

#include <utility>

#include "crivo/error.hpp"

namespace crivo::http {
namespace {

std::string without_end(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

class HttpSite final : public Site {
 public:
  HttpSite(Client& client, std::string url) : Site(without_end(std::move(url))), client_(client) {}

  void read(const std::string& name, std::uint64_t most, const Take& take) override {
    const Request request{.url = location() + "/" + name, .most_bytes = most, .take = take};
    if (client_.get(std::span(&request, 1)).front().found) return;
    throw Error(ErrorKind::io, request.url + ": is not on the server", {.file = request.url});
  }

 private:
  Client& client_;
};

}  // namespace

std::unique_ptr<Site> site_of(Client& client, std::string url) {
  return std::make_unique<HttpSite>(client, std::move(url));
}

}  // namespace crivo::http
