// SPDX-License-Identifier: Apache-2.0
#include "file/trust/signature_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <vector>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "crivo/error.hpp"
#include "crivo/open.hpp"
#include "file/content_id.hpp"
#include "file/trust/key_file.hpp"

namespace crivo::trust {
namespace {

constexpr std::string_view kTrustedComment = "trusted comment: ";

/// "ED", the key's number, the signature.
constexpr std::size_t kSignatureBytes = 2 + 8 + sizeof(Ed25519Signature);

[[noreturn]] void refuse_signature(const std::string& name, const std::string& why) {
  throw Error(ErrorKind::corrupt, name + ": " + why, {.file = name});
}

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

SignatureFile decode_signature(std::string_view text, const std::string& name) {
  constexpr const char* kNone = "is not a signature of minisign";
  std::array<std::string_view, 4> lines;
  for (std::string_view& line : lines) {
    const auto next = take_line(text);
    if (!next) refuse_signature(name, kNone);
    line = *next;
  }
  const auto& [untrusted, first, trusted, second] = lines;
  if (!text.empty() || !untrusted.starts_with(kUntrustedComment) ||
      !trusted.starts_with(kTrustedComment)) {
    refuse_signature(name, kNone);
  }
  SignatureFile signature;
  std::array<std::byte, kSignatureBytes> bytes{};
  if (!from_base64(first, bytes) || !from_base64(second, signature.comment_signature))
    refuse_signature(name, kNone);
  const std::string_view algorithm = base::as_text(bytes).substr(0, 2);
  if (algorithm == "Ed")
    refuse_signature(name, "is a legacy signature (Ed), which is refused; sign the file again");
  if (algorithm != "ED") refuse_signature(name, kNone);
  signature.key_id = base::load_le<std::uint64_t>(bytes.data() + 2);
  std::copy(bytes.begin() + 10, bytes.end(), signature.signature.begin());
  signature.comment = trusted.substr(kTrustedComment.size());
  if (signature.comment.size() > kMostCommentBytes)
    refuse_signature(name, "has a comment that is too long");
  return signature;
}

std::string encode(const SignatureFile& signature) {
  const base::Bytes first = base::FieldWriter()
                                .bytes(base::as_bytes("ED"))
                                .u64(signature.key_id)
                                .bytes(signature.signature)
                                .take();
  return std::string(kUntrustedComment) + "signature from Crivo, key " +
         key_id_text(signature.key_id) + "\n" + to_base64(first) + "\n" +
         std::string(kTrustedComment) + signature.comment + "\n" +
         to_base64(signature.comment_signature) + "\n";
}

base::Bytes signed_comment(const SignatureFile& signature) {
  return base::FieldWriter()
      .bytes(signature.signature)
      .bytes(base::as_bytes(signature.comment))
      .take();
}

std::filesystem::path signature_path(const std::filesystem::path& file) {
  std::filesystem::path path = file;
  path += ".minisig";
  return path;
}

SignatureFile read_signature(const std::filesystem::path& file) {
  const std::filesystem::path path = signature_path(file);
  const std::string name = path.string();
  std::error_code ignored;
  const auto type = std::filesystem::status(path, ignored).type();
  if (type == std::filesystem::file_type::not_found)
    refuse_signature(name, "is missing, but the file must be signed");
  if (type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::socket ||
      type == std::filesystem::file_type::character)
    refuse_signature(name, "is not a regular file");
  const std::optional<std::string> text = read_text(path, kMostSignatureFileBytes);
  if (!text) refuse_signature(name, "is too long for a signature of minisign");
  return decode_signature(*text, name);
}

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
