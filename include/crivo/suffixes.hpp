// SPDX-License-Identifier: Apache-2.0
/// The longest of a key's suffixes or prefixes that an index has: domains by labels, paths by
/// folders, hosts by the rules of a list of public suffixes.
///
///     const auto found = crivo::longest_suffix("a.b.example", '.', ask);
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "crivo/detail/export.hpp"

namespace crivo {

/// The suffixes of a key, or its prefixes, have so many bytes together at most where a file is
/// asked for all of them or they are built: a key of delimiters alone would have 2^39.
inline constexpr std::size_t kMostBorderBytes = std::size_t{16} << 20;

/// Returns the longest suffix of `key` that `found` is true of: the key itself is asked for first,
/// then what stands behind each delimiter in it, unless that is empty. Nothing if it is true of
/// none.
///
///     auto suffix = crivo::longest_suffix(host, '.', [&](std::string_view domain) {
///       return blocked.contains(domain) == crivo::ExactAnswer::member;
///     });
template <typename Found>
std::optional<std::string_view> longest_suffix(std::string_view key, char delimiter,
                                               Found&& found) {
  for (std::string_view suffix = key;;) {
    if (found(suffix)) return suffix;
    const std::size_t border = suffix.find(delimiter);
    if (border == std::string_view::npos || border + 1 == suffix.size()) return std::nullopt;
    suffix.remove_prefix(border + 1);
  }
}

/// Calls visit(prefix) for what stands before each delimiter in `key`, the shortest first, unless
/// that is empty: what FilterOptions::prefixes adds beside the key. Those that end within its first
/// `known` bytes are left out.
template <typename Visit>
void for_each_prefix(std::string_view key, char delimiter, std::size_t known, Visit&& visit) {
  for (std::size_t at = key.find(delimiter, known == 0 ? 1 : known); at != std::string_view::npos;
       at = key.find(delimiter, at + 1)) {
    visit(key.substr(0, at));
  }
}

/// Makes what a filter with such prefixes is asked, to tell whether it holds `text` or a key that
/// begins with it and a delimiter: the text, without the delimiter at its end if it has one and
/// that is not all.
constexpr std::string_view without_delimiter(std::string_view text, char delimiter) noexcept {
  if (text.size() > 1 && text.back() == delimiter) text.remove_suffix(1);
  return text;
}

namespace keys {
/// The name under which a file's metadata, and BuildOptions::notes, have the text of a form.
inline constexpr std::string_view kFormName = "crivo.with.keys";
}  // namespace keys

/// The name in the metadata of a file that has prefixes of its keys, under which their delimiter
/// is.
inline constexpr std::string_view kPrefixesName = "crivo.prefixes";

/// FilterOptions::prefixes of the filter with this metadata; nothing if it has none.
inline std::optional<char> recorded_prefixes(
    const std::map<std::string, std::string, std::less<>>& metadata) {
  const auto found = metadata.find(kPrefixesName);
  if (found == metadata.end() || found->second.size() != 1) return std::nullopt;
  return found->second.front();
}

/// Holds what a rule says of a host, of which `suffix` and `domain` are parts.
struct PublicSuffix {
  std::string rule{};         ///< as the list has it
  std::string_view suffix{};  ///< under which anybody may register; not empty
  std::string_view domain{};  ///< with the label before it; empty if the host is a suffix itself
};

namespace detail {

/// Returns what stands behind the first dot; nothing where there is none, or nothing behind it.
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

/// Returns the rule for a host of those that listed(rule) is true of; nothing if there is none: the
/// list then means that the last label is the suffix. Host and rules are to be written alike: in
/// lower case, without a dot at the end, both as A-labels or not.
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

class OpenIndex;
struct Answer;

/// Is called with a host, what the list says of it, and the answer for the rule.
using PublicSuffixVisit =
    std::function<void(std::string_view host, const PublicSuffix& suffix, const Answer& answer)>;
/// Calls visit for each host, in order, with the rule for it that is a key of `rules`, an index of
/// the rules of a public-suffix list; with an empty one and an answer that is not found where there
/// is none. Throws as OpenIndex::answer_suffixes() does.
CRIVO_API void answer_public_suffixes(OpenIndex& rules, std::span<const std::string_view> hosts,
                                      const PublicSuffixVisit& visit);

}  // namespace crivo
