// SPDX-License-Identifier: Apache-2.0
/// Rules of a public-suffix list (publicsuffix.org), by which domains that one owner registered are
/// told from those under which anybody may register: "com", "*.ck" (any label below ck) and
/// "!www.ck" (but this one).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "crivo/suffixes.hpp"

namespace crivo {

/// What a rule says of a host, of which `suffix` and `domain` are parts.
struct PublicSuffix {
  std::string rule{};         ///< as the list has it
  std::string_view suffix{};  ///< under which anybody may register; not empty
  std::string_view domain{};  ///< with the label before it; empty if the host is a suffix itself
};

namespace detail {

/// What stands behind the first dot; nothing where there is none, or nothing behind it.
constexpr std::string_view behind_label(std::string_view name) noexcept {
  const std::size_t dot = name.find('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot + 1);
}

/// `suffix`, and the label of `host` before it if there is one.
constexpr std::string_view with_label(std::string_view host, std::string_view suffix) noexcept {
  if (host.size() < suffix.size() + 2) return {};
  const std::size_t end = host.size() - suffix.size() - 1;  // of the label
  const std::size_t dot = host.substr(0, end).rfind('.');
  return host.substr(dot == std::string_view::npos ? 0 : dot + 1);
}

}  // namespace detail

/// The longest name of a host: 253 bytes (RFC 1035), and a dot at its end. A longer one is none.
inline constexpr std::size_t kMaxHostBytes = 254;

/// Calls found(rule) with what rules there might be for a host, those first that take precedence:
/// exceptions, then the longest, until it is true. What is longer than a host's name has none.
template <typename Found>
void for_each_rule(std::string_view host, Found&& found) {
  if (host.size() > kMaxHostBytes) return;
  PublicSuffix one;
  const auto is_found = [&](std::string_view mark, std::string_view name, std::string_view suffix) {
    one.rule.assign(mark).append(name);
    one.suffix = suffix;
    one.domain = detail::with_label(host, suffix);
    return found(std::as_const(one));
  };
  const auto exception = longest_suffix(host, '.', [&](std::string_view name) {
    const std::string_view parent = detail::behind_label(name);
    return !parent.empty() && is_found("!", name, parent);
  });
  if (exception) return;
  longest_suffix(host, '.', [&](std::string_view name) {
    const std::string_view parent = detail::behind_label(name);
    return is_found("", name, name) || (!parent.empty() && is_found("*.", parent, name));
  });
}

/// The rule for a host of those that listed(rule) is true of; nothing if there is none: the list
/// then means that the last label is the suffix. Host and rules are to be written alike: in lower
/// case, without a dot at the end, both as A-labels or not.
///
///     auto found = crivo::public_suffix("a.b.example.co.uk", [&](std::string_view rule) {
///       return rules.lookup(rule).has_value();
///     });
///     // found->suffix == "co.uk", found->domain == "example.co.uk"
template <typename Listed>
std::optional<PublicSuffix> public_suffix(std::string_view host, Listed&& listed) {
  std::optional<PublicSuffix> prevailing;
  for_each_rule(host, [&](const PublicSuffix& one) {
    if (!listed(std::string_view(one.rule))) return false;
    prevailing = one;
    return true;
  });
  return prevailing;
}

}  // namespace crivo
