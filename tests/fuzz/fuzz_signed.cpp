// SPDX-License-Identifier: Apache-2.0
/// By the first byte, bytes as a file that is signed once every checksum and hash fits
/// (mended_file.hpp), or as both files of a store that is: refused, or it holds for its key alone,
/// and does not when a bit of it is another; or as the file of a secret or public key of minisign.
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "crivo/build/ship.hpp"
#include "crivo/open.hpp"
#include "crivo/remote.hpp"
#include "crivo/store.hpp"
#include "file/trust/key_file.hpp"
#include "fuzz/asked_keys.hpp"
#include "fuzz/fuzz_input.hpp"
#include "fuzz/mended_file.hpp"
#include "hashing/blake2b.hpp"
#include "ship/secret_key.hpp"
#include "support/signing_key.hpp"
#include "support/stores.hpp"
#include "support/temp_directory.hpp"

namespace {

using namespace crivo;
namespace fs = std::filesystem;

void put(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  if (!file.flush()) std::abort();
}

/// What must not be taken for sound: false where `use` refuses it.
template <typename Use>
bool is_accepted(Use&& use) {
  bool accepted = false;
  fuzz::expect_use_or_refusal([&] {
    use();
    accepted = true;
  });
  return accepted;
}

/// Asks by ranges, which takes the chunks that the keys need and that the cache on disk has not,
/// and of what is mapped whole.
void ask(const fs::path& path, const Trust& trust) {
  const auto ask_one = [](Remote remote) {
    for (const std::string_view key : fuzz::keys()) remote.find(key);
    remote.find(fuzz::keys());
  };
  fuzz::expect_use_or_refusal([&] {
    try {
      std::ifstream file(fs::path(path) += ".minisig", std::ios::binary);
      const std::string signature{std::istreambuf_iterator<char>(file), {}};
      ask_one(Remote::open(
          ByteSource::of_file(path),
          {.trust = trust, .signature = signature, .cache_folder = path.parent_path() / "cache"}));
      ask_one(Remote::open(path, trust));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;  // of a kind that is not read by ranges
    }
  });
}

/// After a number of zeros that the first section ends with, which are left out of the input.
void read_signed(base::ByteView given) {
  static const test::TempDirectory directory;
  static const fs::path secret = directory.path() / "secret";
  static const fs::path path = directory.path() / "file";
  static const fs::path signature = directory.path() / "file.minisig";
  static const fs::path state = directory.path() / "state";
  constexpr std::uint32_t kMostZeros = 12U << 20;
  if (given.size() < sizeof(std::uint32_t)) return;
  const auto zeros = base::load_le<std::uint32_t>(given.data());
  fuzz::FileParts parts = fuzz::take_apart(given.subspan(sizeof zeros));
  if (zeros <= kMostZeros && !parts.sections.empty()) {
    base::Bytes& first = parts.sections.front().bytes;
    first.resize(first.size() + zeros);
  }
  const base::Bytes file = fuzz::put_together(parts);
  put(secret, test::kSecretKey);
  put(path, base::as_text(file));
  fs::remove(state);
  const Trust trust{.keys = {PublicKey::parse(test::kPublicKey)}, .state = state};
  const bool is_sound = is_accepted([&] {
    try {
      sign(path, {.secret_key = secret, .sequence = 2, .replace = true});
    } catch (const Error& error) {
      // Of a kind that has no signature.
      if (error.kind() != ErrorKind::usage) throw;
      throw Error(ErrorKind::corrupt, error.what());
    }
  });
  if (!is_sound) return;
  const auto verify = [&](const Trust& how) {
    return is_accepted([&] { verify_signed(path, how); });
  };
  if (!verify(trust)) std::abort();
  ask(path, {.keys = trust.keys});
  Trust other{.keys = trust.keys, .minimum_sequence = 3};
  if (verify(other)) std::abort();
  other = {.keys = {{trust.keys.front().id, {std::byte{5}}}}};
  if (verify(other)) std::abort();
  std::string altered(base::as_text(file));
  const std::uint64_t place = XXH3_64bits(given.data(), given.size());
  altered[place % altered.size()] ^= static_cast<char>(1 << (place >> 61));
  put(path, altered);
  if (verify(trust)) std::abort();
  ask(path, {.keys = trust.keys});
  // As minisign signs, which knows no root: all bytes are read for it.
  put(path, base::as_text(file));
  trust::SecretKey key;
  trust::read_secret_key(secret, nullptr, key);
  const auto hash = hashing::Blake2b().add(file).finish();
  put(signature, trust::encode(trust::make_signature(hash, {.bytes = file.size()}, key)));
  if (!verify({.keys = trust.keys})) std::abort();
  put(path, altered);
  if (verify({.keys = trust.keys})) std::abort();
  // An older one of the same name.
  put(path, base::as_text(file));
  sign(path, {.secret_key = secret, .sequence = 1, .replace = true});
  if (verify(trust)) std::abort();
}

/// Both files of a store, of which the records are put right, too.
void read_signed_store(base::ByteView given) {
  static const test::TempDirectory directory;
  static const fs::path secret = directory.path() / "secret";
  static const fs::path store = directory.path() / "store";
  if (given.size() < 4) return;
  const auto length = base::load_le<std::uint32_t>(given.data());
  given = given.subspan(4);
  if (length > given.size()) return;
  const auto mended = [](base::ByteView file) {
    return fuzz::put_together(fuzz::take_apart(file));
  };
  const base::Bytes index = mended(given.first(length));
  base::Bytes records = mended(given.subspan(length));
  fs::remove_all(store);
  fs::create_directory(store);
  put(secret, test::kSecretKey);
  put(store / "index.crv", base::as_text(index));
  const Trust trust{.keys = {PublicKey::parse(test::kPublicKey)}};
  const auto opens = [&] {
    return is_accepted([&] { (void)Store::open(store, {.trust = trust}).size(); });
  };
  fs::path path;
  const bool is_sound = is_accepted([&] {
    try {
      path = test::data_file(store);
      put(path, base::as_text(records));
      sign(store, {.secret_key = secret, .replace = true});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
      throw Error(ErrorKind::corrupt, error.what());  // of a backend that has no signature
    }
  });
  if (!is_sound) return;
  if (!is_accepted([&] { verify_signed(store, trust); }) || !opens()) std::abort();
  const std::uint64_t place = XXH3_64bits(given.data(), given.size());
  records[place % records.size()] ^= std::byte{1} << (place >> 61);
  for (const base::Bytes& other : {records, mended(records)}) {
    put(path, base::as_text(other));
    if (mended(given.subspan(length)) == other) continue;  // the bit was mended, too
    if (is_accepted([&] { verify_signed(store, trust); }) || opens()) std::abort();
  }
}

/// The text with a cost of scrypt that takes a moment. What it asked for was the owner's choice.
std::string with_low_cost(std::string_view text) {
  constexpr std::size_t kBytes = 158;
  constexpr std::size_t kCostAt = 38;
  std::string low(text);
  const auto line = trust::key_line(text);
  std::array<std::byte, kBytes> bytes{};
  if (!line || !trust::from_base64(*line, bytes)) return low;
  base::store_le(bytes.data() + kCostAt, std::uint64_t{32768});
  base::store_le(bytes.data() + kCostAt + 8, std::uint64_t{1} << 20);
  low.replace(static_cast<std::size_t>(line->data() - text.data()), line->size(),
              trust::to_base64(bytes));
  return low;
}

/// A key that is read signs for its public half.
void read_keys_of(std::string_view text) {
  static const test::TempDirectory directory;
  static const fs::path path = directory.path() / "key";
  const auto expect_key_or_usage = [](auto&& use) {
    try {
      use();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) std::abort();
    }
  };
  put(path, with_low_cost(text));
  expect_key_or_usage([&] {
    trust::SecretKey key;
    trust::read_secret_key(
        path, [] { return std::string("password"); }, key);
    const trust::Ed25519Signature signature = trust::sign(base::as_bytes(text), key.seed);
    if (!trust::is_signed(base::as_bytes(text), signature, trust::public_key_of(key.seed)))
      std::abort();
  });
  expect_key_or_usage([&] {
    trust::SecretKey key;
    trust::read_secret_key(path, nullptr, key);
  });
  put(path, text);
  expect_key_or_usage([&] { (void)PublicKey::read(path.string()).id_text(); });
  expect_key_or_usage([&] {
    const std::string id = PublicKey::parse(text).id_text();
    if (PublicKey::read(std::string(text)).id_text() != id) std::abort();
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const fuzz::Input input(data + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      read_signed(input.view());
      break;
    case 1:
      read_keys_of(base::as_text(input.view()));
      break;
    default:
      read_signed_store(input.view());
  }
  return 0;
}
