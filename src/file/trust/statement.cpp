// SPDX-License-Identifier: Apache-2.0
#include "file/trust/statement.hpp"

#include <charconv>
#include <system_error>
#include <vector>

#include "base/number_text.hpp"
#include "crivo/error.hpp"
#include "crivo/open.hpp"
#include "file/content_id.hpp"

namespace crivo::trust {
namespace {

// "Signature of a file" in formats/crivo-1.md specifies all of it.
constexpr std::string_view kBegin = "crivo ";
constexpr std::string_view kVersion = "1";

/// A number as comment_of() writes it.
std::optional<std::uint64_t> number_of(std::string_view text) {
  const auto number = base::number_in<std::uint64_t>(text);
  return number && std::to_string(*number) == text ? number : std::nullopt;
}

std::optional<file::Digest> digest_of(std::string_view text) {
  file::Digest digest{};
  if (text.size() != 2 * digest.size()) return std::nullopt;
  for (std::size_t i = 0; i < digest.size(); ++i) {
    unsigned byte = 0;
    const char* const begin = text.data() + 2 * i;
    if (std::from_chars(begin, begin + 2, byte, 16).ptr != begin + 2) return std::nullopt;
    digest[i] = static_cast<std::byte>(byte);
  }
  return file::to_hex(digest) == text ? std::optional(digest) : std::nullopt;
}

std::optional<std::chrono::sys_seconds> time_of(std::string_view text) {
  try {
    return parse_time(text);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Sets what a field is of; false if it is there already, or is not of the field's form.
template <typename T>
bool set(std::optional<T>& member, std::optional<T> value) {
  if (member || !value) return false;
  member = value;
  return true;
}

}  // namespace

std::string comment_of(const Statement& statement) {
  std::string text = std::string(kBegin) + std::string(kVersion);
  if (statement.root) text += " root=" + file::to_hex(*statement.root);
  if (statement.records) text += " records=" + file::to_hex(*statement.records);
  text += " bytes=" + std::to_string(statement.bytes);
  if (statement.sequence != 0) text += " sequence=" + std::to_string(statement.sequence);
  if (statement.expires) text += " expires=" + time_text(*statement.expires);
  return text;
}

std::optional<Statement> parse_comment(std::string_view comment, const std::string& name) {
  if (!comment.starts_with(kBegin)) return std::nullopt;
  comment.remove_prefix(kBegin.size());
  const auto next_word = [&] {
    const std::string_view word = comment.substr(0, comment.find(' '));
    comment.remove_prefix(word.size());
    if (!comment.empty()) comment.remove_prefix(1);
    return word;
  };
  const auto refuse_unknown = [&](const std::string& what) {
    throw Error(ErrorKind::too_new,
                name + ": " + what + ", which this program does not know; use a newer crivo",
                {.file = name});
  };
  if (const auto version = next_word(); version != kVersion)
    refuse_unknown("has a comment of version " + quote(version));
  if (comment.ends_with(' ')) refuse_unknown("has a comment with " + quote(""));
  Statement statement;
  std::optional<std::uint64_t> bytes;
  std::optional<std::uint64_t> sequence;
  while (!comment.empty()) {
    const std::string_view word = next_word();
    const std::size_t end = word.find('=');
    const std::string_view field = word.substr(0, end);
    const std::string_view value = end == std::string_view::npos ? "" : word.substr(end + 1);
    bool is_new = false;
    if (field == "root") {
      is_new = set(statement.root, digest_of(value));
    } else if (field == "records") {
      is_new = set(statement.records, digest_of(value));
    } else if (field == "bytes") {
      is_new = set(bytes, number_of(value));
    } else if (field == "sequence") {
      is_new = set(sequence, number_of(value));
    } else if (field == "expires") {
      is_new = set(statement.expires, time_of(value));
    } else {
      refuse_unknown("has a comment with " + quote(field));
    }
    if (!is_new)
      throw Error(ErrorKind::corrupt, name + ": has a comment with a wrong " + std::string(field),
                  {.file = name});
  }
  if (!bytes)
    throw Error(ErrorKind::corrupt, name + ": has a comment without a length", {.file = name});
  statement.bytes = *bytes;
  statement.sequence = sequence.value_or(0);
  return statement;
}

}  // namespace crivo::trust
