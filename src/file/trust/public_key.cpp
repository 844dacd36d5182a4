// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/as_error.hpp"
#include "base/bytes.hpp"
#include "crivo/error.hpp"
#include "crivo/open.hpp"
#include "file/trust/base64.hpp"
#include "file/trust/key_file.hpp"
#include "file/trust/weak_key.hpp"

namespace crivo {
namespace {

/// "Ed", the key's number, the key.
constexpr std::size_t kBlobBytes = 2 + 8 + 32;
constexpr std::size_t kLineBytes = kBlobBytes / 3 * 4;
constexpr std::size_t kMostPublicKeyFileBytes = 4096;

std::optional<PublicKey> decode_key(std::string_view line) {
  std::array<std::byte, kBlobBytes> bytes{};
  if (!trust::from_base64(line, bytes) || base::as_text(bytes).substr(0, 2) != "Ed")
    return std::nullopt;
  PublicKey key{.id = base::load_le<std::uint64_t>(bytes.data() + 2)};
  std::copy(bytes.begin() + 10, bytes.end(), key.bytes.begin());
  if (trust::has_small_order(key.bytes))
    throw Error(ErrorKind::usage, quote(line) + " is a weak public key: anybody can sign with it");
  return key;
}

}  // namespace

PublicKey PublicKey::parse(std::string_view line) try {
  if (const auto key = decode_key(line)) return *key;
  throw Error(ErrorKind::usage,
              quote(line) + " is not a public key of minisign (56 characters of base64)");
} catch (...) {
  base::rethrow_as_error();
}

PublicKey PublicKey::read(const std::string& path_or_line) try {
  if (path_or_line.size() == kLineBytes) {
    if (const auto key = decode_key(path_or_line)) return *key;
  }
  const auto text = trust::read_text(path_or_line, kMostPublicKeyFileBytes);
  const auto line = text ? trust::key_line(*text) : std::nullopt;
  const auto key = line ? decode_key(*line) : std::nullopt;
  if (key) return *key;
  throw Error(ErrorKind::usage, path_or_line + ": is not the file of a public key of minisign",
              {.file = path_or_line});
} catch (...) {
  base::rethrow_as_error();
}

std::string PublicKey::id_text() const {
  return trust::key_id_text(id);
}

}  // namespace crivo
