// SPDX-License-Identifier: Apache-2.0
#include "ship/secret_key.hpp"

#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero() is not in <cstring>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "crivo/error.hpp"
#include "file/trust/key_file.hpp"
#include "hashing/blake2b.hpp"

namespace crivo::trust {
namespace {

constexpr std::size_t kMostKeyFileBytes = 4096;

// The file's second line has: "Ed", "Sc" or two zeros, "B2", salt, operations, memory; and,
// encrypted by XOR with what scrypt derives, the key's number, seed and public key, and their
// checksum.
constexpr std::size_t kSaltAt = 6;
constexpr std::size_t kSaltBytes = 32;
constexpr std::size_t kOperationsAt = kSaltAt + kSaltBytes;
constexpr std::size_t kMemoryAt = kOperationsAt + 8;
constexpr std::size_t kKeysAt = kMemoryAt + 8;
constexpr std::size_t kNumberBytes = 8;
constexpr std::size_t kSeedAt = kKeysAt + kNumberBytes;
constexpr std::size_t kPublicAt = kSeedAt + sizeof(Ed25519Key);
constexpr std::size_t kChecksumAt = kPublicAt + sizeof(Ed25519Key);
constexpr std::size_t kChecksumBytes = 32;
constexpr std::size_t kAllBytes = kChecksumAt + kChecksumBytes;

/// Bytes that are wiped when they go.
template <std::size_t kSize>
struct Wiped : std::array<std::byte, kSize> {
  Wiped() : std::array<std::byte, kSize>{} {}
  ~Wiped() { ::explicit_bzero(this->data(), kSize); }
  Wiped(const Wiped&) = delete;
  Wiped& operator=(const Wiped&) = delete;
};

struct WipedText {
  std::string text;
  ~WipedText() { ::explicit_bzero(text.data(), text.size()); }
};

[[noreturn]] void refuse_key(const std::filesystem::path& path, const char* why) {
  throw Error(ErrorKind::usage, path.string() + ": " + why, {.file = path.string()});
}

bool has_its_checksum(base::ByteView all) noexcept {
  const auto sum = hashing::Blake2b(kChecksumBytes)
                       .add(all.first(2))
                       .add(all.subspan(kKeysAt, kChecksumAt - kKeysAt))
                       .finish();
  return std::ranges::equal(base::ByteView(sum).first(kChecksumBytes), all.subspan(kChecksumAt));
}

void decrypt(const std::filesystem::path& path, std::string_view password,
             std::span<std::byte, kAllBytes> all) {
  const ScryptCost cost = scrypt_cost(base::load_le<std::uint64_t>(all.data() + kOperationsAt),
                                      base::load_le<std::uint64_t>(all.data() + kMemoryAt));
  Wiped<kAllBytes - kKeysAt> derived;
  try {
    scrypt(password, all.subspan(kSaltAt, kSaltBytes), cost, derived);
  } catch (const Error& error) {
    throw Error(ErrorKind::io,
                path.string() + ": cannot be decrypted, which takes " +
                    std::to_string(128 * cost.n * cost.r >> 20) + " MiB of memory: " + error.what(),
                {.file = path.string()});
  }
  for (std::size_t i = 0; i < derived.size(); ++i) all[kKeysAt + i] ^= derived[i];
  if (!has_its_checksum(all)) refuse_key(path, "the password is wrong");
}

}  // namespace

SecretKey::~SecretKey() {
  ::explicit_bzero(seed.data(), seed.size());
}

ScryptCost scrypt_cost(std::uint64_t operations, std::uint64_t memory) noexcept {
  constexpr std::uint64_t kLeastOperations = 32768;
  operations = std::max(operations, kLeastOperations);
  ScryptCost cost{.n = 2, .r = 8, .p = 1};
  const bool is_limited_by_operations = operations < memory / 32;
  const std::uint64_t most_n =
      is_limited_by_operations ? operations / (cost.r * 4) : memory / (cost.r * 128);
  while (cost.n <= most_n / 2 && cost.n >> 63 == 0) cost.n *= 2;
  if (!is_limited_by_operations) {
    const std::uint64_t rp = std::min<std::uint64_t>(operations / 4 / cost.n, 0x3fffffff);
    cost.p = static_cast<std::uint32_t>(rp / cost.r);
  }
  return cost;
}

void read_secret_key(const std::filesystem::path& path,
                     const std::function<std::string()>& password, SecretKey& key) {
  auto text = read_text(path, kMostKeyFileBytes);
  const WipedText kept{text ? std::move(*text) : std::string()};
  const auto line = key_line(kept.text);
  Wiped<kAllBytes> all;
  const std::string_view names = base::as_text(all);
  if (!line || !from_base64(*line, all) || names.substr(0, 2) != "Ed" ||
      names.substr(4, 2) != "B2") {
    refuse_key(path, "is not the file of a secret key of minisign");
  }
  if (names.substr(2, 2) == "Sc") {
    if (!password) refuse_key(path, "is encrypted, and there is no password");
    const WipedText given{password()};
    decrypt(path, given.text, all);
  } else if (names.substr(2, 2) != std::string_view("\0\0", 2)) {
    refuse_key(path, "is encrypted in a way that this program does not know");
  }
  key.id = base::load_le<std::uint64_t>(all.data() + kKeysAt);
  std::copy_n(all.begin() + kSeedAt, key.seed.size(), key.seed.begin());
  if (!std::ranges::equal(public_key_of(key.seed),
                          base::ByteView(all).subspan(kPublicAt, sizeof(Ed25519Key)))) {
    refuse_key(path, "is damaged: its two halves are not of one key");
  }
}

void warn_of_rights(const std::filesystem::path& path, std::vector<Warning>& warnings) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return;
  const bool can_read = (found.st_mode & S_IROTH) != 0;
  const bool can_write = (found.st_mode & S_IWOTH) != 0;
  if (!can_read && !can_write) return;
  warnings.push_back({path.string() + ": every user may " +
                          (!can_write ? "read"
                           : can_read ? "read and write"
                                      : "write") +
                          " the secret key; leave it to its owner alone",
                      {}});
}

SignatureFile make_signature(base::ByteView hash, const Statement& statement,
                             const SecretKey& key) {
  SignatureFile signature{
      .key_id = key.id, .signature = sign(hash, key.seed), .comment = comment_of(statement)};
  signature.comment_signature = sign(signed_comment(signature), key.seed);
  return signature;
}

}  // namespace crivo::trust
