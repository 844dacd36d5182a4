// SPDX-License-Identifier: Apache-2.0
/// Seeds of what comes from elsewhere: signed files, keys, published lists, LMDB environments.
#include <lmdb.h>

#include <array>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "crivo/build/keys.hpp"
#include "file/trust/key_file.hpp"
#include "fuzz/mended_file.hpp"
#include "fuzz/published.hpp"
#include "fuzz/seeds.hpp"
#include "hashing/blake2b.hpp"
#include "ship/contents.hpp"
#include "ship/secret_key.hpp"
#include "support/signing_key.hpp"
#include "support/stores.hpp"
#include "support/temp_directory.hpp"

namespace crivo::fuzz {
namespace {

/// The text of a secret key under the password that fuzz_signed gives, at a low cost of scrypt.
std::string encrypted_key() {
  constexpr std::uint64_t kOperations = 32768;
  constexpr std::uint64_t kMemory = 1 << 20;
  constexpr std::size_t kChecksumBytes = 32;
  const trust::Ed25519Key seed{std::byte{3}};
  const trust::Ed25519Key its_public = trust::public_key_of(seed);
  base::FieldWriter keys;
  keys.u64(7).bytes(seed).bytes(its_public);
  const auto sum =
      hashing::Blake2b(kChecksumBytes).add(base::as_bytes("Ed")).add(keys.view()).finish();
  keys.bytes(base::ByteView(sum).first(kChecksumBytes));
  const base::Bytes salt(32, std::byte{9});
  base::Bytes encrypted(keys.view().size());
  trust::scrypt("password", salt, trust::scrypt_cost(kOperations, kMemory), encrypted);
  for (std::size_t i = 0; i < encrypted.size(); ++i) encrypted[i] ^= keys.view()[i];
  base::FieldWriter all;
  all.bytes(base::as_bytes("EdScB2")).bytes(salt).u64(kOperations).u64(kMemory).bytes(encrypted);
  return "untrusted comment: encrypted\n" + trust::to_base64(all.view()) + "\n";
}

/// kSecretKey with one byte of what is encoded in it another.
std::string altered_key(std::size_t place, std::byte value) {
  std::string text = test::kSecretKey;
  const std::string_view line = *trust::key_line(text);
  std::array<std::byte, 158> bytes{};
  if (!trust::from_base64(line, bytes)) throw std::runtime_error("no secret key");
  bytes[place] = value;
  text.replace(static_cast<std::size_t>(line.data() - text.data()), line.size(),
               trust::to_base64(bytes));
  return text;
}

/// An environment of one leaf with fields of its meta pages altered.
void write_damaged(const Path& directory, const std::string& sound) {
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kDepthAt = 16 + 24 + 48 + 6;  // of the main database
  constexpr std::size_t kTransactionAt = 144;
  const auto keep = [&](const char* name, std::size_t at, char value) {
    std::string damaged = sound;
    damaged[at] = value;
    write(directory, name, of_bytes({1}), base::as_bytes(damaged));
  };
  keep("places", kTransactionAt, 29);  // the last transaction is on the other one's page
  keep("deep", kPage + kDepthAt, 99);
  keep("shallow", kPage + kDepthAt, 1);  // where its root is a branch
  write(directory, "short", of_bytes({1}), base::as_bytes(sound).first(sound.size() - kPage));
}

}  // namespace

void write_signed(const Path& directory) {
  const test::TempDirectory temporary;
  const Path output = temporary.path() / "output";
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < 2000; ++i) keys.push_back(key(i));
  const std::string whole = of_bytes({0}) + little_endian(0, 4);
  build_filter(keys_in(keys), output, {}, build_options());
  write(directory, "filter", whole, base::as_bytes(contents(output)));
  build_map(keys_in(keys), output, {.signature_bits = 8}, build_options());
  write(directory, "map", whole, base::as_bytes(contents(output)));
  build_mphf(keys_in(keys), output, {}, build_options());
  write(directory, "mphf", whole, base::as_bytes(contents(output)));
  // Of so many chunks that the list of their hashes has two pieces.
  const std::vector<std::string> none;
  build_filter(keys_in(none), output, {.type = "bloom", .fpr = 0.01, .capacity = 8'000'000},
               build_options());
  const std::string large = contents(output);
  FileParts parts = take_apart(base::as_bytes(large));
  base::Bytes& first = parts.sections.front().bytes;
  const std::size_t length = first.size();
  while (!first.empty() && first.back() == std::byte{0}) first.pop_back();
  write(directory, "large", of_bytes({0}) + little_endian(length - first.size(), 4),
        put_together(parts));

  write(directory, "secret", of_bytes({1}), base::as_bytes(test::kSecretKey));
  write(directory, "public", of_bytes({1}), base::as_bytes(test::kPublicKey));
  write(directory, "public-file", of_bytes({1}),
        base::as_bytes("untrusted comment: minisign public key\n" + std::string(test::kPublicKey) +
                       "\n"));
  write(directory, "public-line", of_bytes({1}),
        base::as_bytes("untrusted comment: minisign public key\n" + std::string(test::kPublicKey)));
  const Path store = temporary.path() / "store";
  const std::vector<std::string> some(keys.begin(), keys.begin() + 40);
  build_store(records_in(some, some), store, {.backend = "flat", .codec = "none"}, build_options());
  const std::string index = contents(store / "index.crv");
  write(directory, "store", of_bytes({2}) + little_endian(index.size(), 4),
        base::as_bytes(index + contents(test::data_file(store))));
  write(directory, "encrypted", of_bytes({1}), base::as_bytes(encrypted_key()));
  write(directory, "halves", of_bytes({1}), base::as_bytes(altered_key(100, std::byte{1})));
  write(directory, "otherwise", of_bytes({1}), base::as_bytes(altered_key(2, std::byte{'x'})));
  // Anybody can sign with a key of zeros.
  base::FieldWriter weak;
  weak.bytes(base::as_bytes(std::string_view("Ed"))).zeros(8 + 32);
  write(directory, "weak", of_bytes({1}), base::as_bytes(trust::to_base64(weak.view())));
}

void write_lists(const Path& directory) {
  file::Contents another = first_set();
  another.front().sha256 = file::Digest{std::byte{1}};
  const file::Contents lists[] = {first_set(), set_of({}), set_of({"b/c", "new/one", "z"}),
                                  another};
  for (const int lie : {0, 1, 2, 4, 8, 16, 32}) {
    for (std::size_t i = 0; i < std::size(lists); ++i)
      write(directory, std::to_string(lie) + "-" + std::to_string(i), of_bytes({lie}),
            base::as_bytes(file::encode(lists[i])));
  }
}

void write_lmdb(const Path& directory) {
  const auto check = [](int status) {
    if (status != 0) throw std::runtime_error(mdb_strerror(status));
  };
  const test::TempDirectory temporary;
  constexpr std::uint64_t kCounts[] = {90, 90, 90, 90, 500, 10};
  constexpr int kNumbers = 5;  // as keys, on leaves below a branch: what data.mdb may look like
  for (int kind = 0; kind <= kNumbers; ++kind) {
    const Path path = temporary.path() / std::to_string(kind);
    MDB_env* environment = nullptr;
    check(mdb_env_create(&environment));
    check(mdb_env_set_maxdbs(environment, 4));
    check(mdb_env_open(environment, path.c_str(), MDB_NOSUBDIR | MDB_NOLOCK, 0644));
    MDB_txn* transaction = nullptr;
    check(mdb_txn_begin(environment, nullptr, 0, &transaction));
    const bool is_named = kind == 1 || kind == 2;
    const unsigned flags = kind == 2 ? MDB_DUPSORT : kind == kNumbers ? MDB_INTEGERKEY : 0;
    for (const char* const name : {"named", "other"}) {
      MDB_dbi database = 0;
      check(mdb_dbi_open(transaction, is_named ? name : nullptr, MDB_CREATE | flags, &database));
      for (std::uint64_t i = 0; i < kCounts[kind]; ++i) {
        std::string text = kind == kNumbers ? little_endian(i, 8) : key(kind == 2 ? i / 3 : i);
        std::string value = record(i);
        if (kind == 3 && i % 30 == 0) value.resize(5000, 'v');
        if (kind == kNumbers) value.resize(1000, 'v');
        MDB_val entry{text.size(), text.data()};
        MDB_val its_value{value.size(), value.data()};
        check(mdb_put(transaction, database, &entry, &its_value, 0));
      }
    }
    check(mdb_txn_commit(transaction));
    mdb_env_close(environment);
    for (const int choice : {0, 1, 2, 3}) {
      write(directory, std::to_string(kind) + "-" + std::to_string(choice), of_bytes({choice}),
            base::as_bytes(contents(path)));
    }
    if (kind == 0) write_damaged(directory, contents(path));
    if (kind == kNumbers)
      write(directory.parent_path() / "tree", "branch", "", base::as_bytes(contents(path)));
  }
}

}  // namespace crivo::fuzz
