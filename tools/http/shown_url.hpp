// SPDX-License-Identifier: Apache-2.0
/// The parts of a URL that messages may show.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace crivo::http {

/// The part of a URL that names user, password, host and port.
inline std::string_view authority_of(std::string_view url) noexcept {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  url.remove_prefix(scheme + 3);
  return url.substr(0, std::min(url.find_first_of("/?#"), url.size()));
}

/// Host and port.
inline std::string_view host_of(std::string_view url) noexcept {
  const std::string_view authority = authority_of(url);
  return authority.substr(authority.rfind('@') + 1);  // npos + 1 is 0
}

/// The URL without user and password.
inline std::string shown_url(std::string_view url) {
  const std::size_t secret = authority_of(url).size() - host_of(url).size();
  std::string shown(url);
  if (secret != 0) shown.erase(url.find("://") + 3, secret);
  return shown;
}

/// A text with the URLs in it without user and password, where they have one.
inline std::string without_passwords(std::string_view text) {
  std::string shown;
  for (std::size_t at = text.find("://"); at != text.npos; at = text.find("://")) {
    shown += text.substr(0, at + 3);
    text.remove_prefix(at + 3);
    const std::string_view authority = text.substr(0, text.find_first_of("/?# \t\r\n\"'<>"));
    const std::size_t end = authority.rfind('@');
    const bool has_password = end != text.npos && authority.find(':') < end;
    if (has_password) text.remove_prefix(end + 1);
  }
  return shown.append(text);
}

}  // namespace crivo::http
