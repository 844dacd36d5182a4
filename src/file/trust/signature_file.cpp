// SPDX-License-Identifier: Apache-2.0
#include "file/trust/signature_file.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>

#include "base/bytes.hpp"
#include "crivo/error.hpp"
#include "file/trust/base64.hpp"
#include "file/trust/key_file.hpp"

namespace crivo::trust {
namespace {

constexpr std::string_view kTrustedComment = "trusted comment: ";

/// "ED", the key's number, the signature.
constexpr std::size_t kSignatureBytes = 2 + 8 + sizeof(Ed25519Signature);

[[noreturn]] void refuse_signature(const std::string& name, const std::string& why) {
  throw Error(ErrorKind::corrupt, name + ": " + why, {.file = name});
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

}  // namespace crivo::trust
