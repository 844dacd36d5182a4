// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "crivo/build/key_form.hpp"

namespace crivo::keys {
namespace {

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c;
}

bool is_digit_of_host(char c) noexcept {
  return c >= '0' && c <= '9';
}

std::vector<std::string_view> split(std::string_view text, char delimiter) {
  std::vector<std::string_view> parts;
  parts.reserve(static_cast<std::size_t>(std::ranges::count(text, delimiter)) + 1);
  while (true) {
    const std::size_t end = text.find(delimiter);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// The scheme that `url` begins with (RFC 3986, 3.1), without its colon; empty if it has none.
std::string_view scheme_of(std::string_view url) noexcept {
  const std::size_t end = url.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+-.");
  const bool is_scheme = end != url.npos && end != 0 && url[end] == ':' && url[0] >= 'a';
  return is_scheme ? url.substr(0, end) : std::string_view();
}

/// The port that a scheme has where none is told; empty where that is not known here.
std::string_view own_port_of(std::string_view scheme) noexcept {
  if (scheme.empty() || scheme == "http") return "80";
  if (scheme == "https") return "443";
  return scheme == "ftp" ? "21" : "";
}

/// userinfo@host:port (RFC 3986, 3.2), of which a host in brackets may have colons.
struct Authority {
  std::string_view host;
  std::string_view port;
};

Authority authority_of(std::string_view text) noexcept {
  if (const std::size_t at = text.rfind('@'); at != text.npos) text.remove_prefix(at + 1);
  const std::size_t bracket = text.starts_with('[') ? text.find(']') : 0;
  const std::size_t colon = text.find(':', bracket == text.npos ? 0 : bracket);
  if (colon == text.npos) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::string_view without_www(std::string_view host) noexcept {
  if (!host.starts_with("www")) return host;
  const auto* const dot = std::find_if_not(host.begin() + 3, host.end(), is_digit_of_host);
  if (dot == host.end() || *dot != '.') return host;
  return host.substr(static_cast<std::size_t>(dot - host.begin()) + 1);
}

void append_host(std::string& to, std::string_view host) {
  while (host.ends_with('.')) host.remove_suffix(1);
  host = without_www(host);
  const bool is_address = host.starts_with('[') || std::ranges::all_of(host, [](char c) {
                            return is_digit_of_host(c) || c == '.';
                          });
  if (is_address) {
    to += host;
    return;
  }
  while (true) {
    const std::size_t dot = host.rfind('.');
    to += host.substr(dot == host.npos ? 0 : dot + 1);
    if (dot == host.npos) return;
    to += ',';
    host = host.substr(0, dot);
  }
}

void append_query(std::string& to, std::string_view query) {
  std::vector<std::string_view> parts = split(query, '&');
  std::ranges::sort(parts);
  char before = '?';
  for (const std::string_view part : parts) {
    to += before;
    to += part;
    before = '&';
  }
}

}  // namespace

std::string surt(std::string_view url) {
  std::string folded(url);
  std::ranges::transform(folded, folded.begin(), lower);
  std::string_view rest = std::string_view(folded).substr(0, folded.find('#'));
  std::string_view scheme = scheme_of(rest);
  const std::string_view behind = rest.substr(scheme.empty() ? 0 : scheme.size() + 1);
  if (behind.starts_with("//")) {
    rest = behind.substr(2);
  } else if (scheme.empty() || behind.empty() || !is_digit_of_host(behind.front())) {
    // A scheme without "//" has no host; digits behind the colon are a port.
    if (!scheme.empty()) return std::string(url);
  } else {
    scheme = {};
  }
  const Authority authority = authority_of(rest.substr(0, rest.find_first_of("/?")));
  const std::size_t path_begin = std::min(rest.find_first_of("/?"), rest.size());
  rest.remove_prefix(path_begin);
  const std::size_t query_begin = std::min(rest.find('?'), rest.size());
  std::string_view path = rest.substr(0, query_begin);
  std::string_view query = rest.substr(query_begin);

  std::string made;
  made.reserve(url.size() + 2);
  append_host(made, authority.host);
  if (!authority.port.empty() && authority.port != own_port_of(scheme)) {
    made += ':';
    made += authority.port;
  }
  made += ')';
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path.empty()) path = "/";
  made += path;
  if (query.size() > 1) append_query(made, query.substr(1));
  return made;
}

}  // namespace crivo::keys
