// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/as_error.hpp"
#include "base/bytes.hpp"
#include "crivo/error.hpp"
#include "crivo/open.hpp"
#include "file/trust/key_file.hpp"
#include "file/trust/libcrypto.hpp"

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

namespace crivo::trust {
namespace {

using Octets = std::array<std::uint8_t, 32>;

/// Numbers that are small, and that are close to p = 2^255 - 19, which is ed ff ... ff 7f.
constexpr Octets small(std::uint8_t low) noexcept {
  return {low};
}
constexpr Octets near_p(std::uint8_t low) noexcept {
  Octets y{};
  y.fill(0xff);
  y.front() = low;
  y.back() = 0x7f;
  return y;
}

/// The y of all points of small order, the sign of x left out; p and p + 1 are 0 and 1 again.
constexpr std::array<Octets, 7> kSmallOrder{
    small(0),
    small(1),
    near_p(0xec),
    near_p(0xed),
    near_p(0xee),
    Octets{0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4,
           0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6,
           0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05},
    Octets{0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b,
           0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39,
           0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a},
};

}  // namespace

bool has_small_order(const Ed25519Key& key) noexcept {
  Octets y{};
  std::ranges::transform(key, y.begin(),
                         [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
  y.back() &= 0x7f;  // the sign of x
  return std::ranges::find(kSmallOrder, y) != kSmallOrder.end();
}

}  // namespace crivo::trust
