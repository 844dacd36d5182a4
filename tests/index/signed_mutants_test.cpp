// SPDX-License-Identifier: Apache-2.0
/// Flips, cuts, swaps and splices of a signed file and of its signature, with XXH3 sums and hash
/// tree mended as a forger would: none is opened. With $CRIVO_LONG, 100,000 of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/build/ship.hpp"
#include "crivo/error.hpp"
#include "crivo/filter.hpp"
#include "fuzz/mended_file.hpp"
#include "support/signing_key.hpp"
#include "support/temp_directory.hpp"

namespace crivo {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t end) { return random_() % end; }

  /// Changes bytes from `low` on; `other` has what is spliced in.
  void change(std::string& bytes, std::size_t low, const std::string& other) {
    const std::size_t at = low + below(bytes.size() - low);
    const std::size_t length = std::min(1 + below(24), bytes.size() - at);
    switch (below(5)) {
      case 0:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
        break;
      case 1:
        bytes.resize(at);
        break;
      case 2:
        std::swap(bytes[at], bytes[low + below(bytes.size() - low)]);
        break;
      case 3:
        bytes.replace(at, length, other.substr(std::min(at, other.size()), length));
        break;
      default:
        bytes.insert(at, 1, static_cast<char>(random_()));
        break;
    }
  }

 private:
  std::mt19937_64 random_;
};

TEST(SignedMutants, AreNotOpened) {
  const test::TempDirectory directory;
  const auto path = directory.path() / "file.crv";
  const auto signature_path = directory.path() / "file.crv.minisig";
  write(directory.path() / "key", test::kSecretKey);
  const auto make = [&](int keys) {
    std::vector<std::string> texts;
    for (int i = 0; i < keys; ++i) texts.push_back("key " + std::to_string(i));
    build_filter(keys_in(texts), path, {}, {.replace = true});
    (void)sign(path, {.secret_key = directory.path() / "key", .sequence = 5, .replace = true});
  };
  make(41);
  const std::string other_file = read(path);
  const std::string other_signature = read(signature_path);
  make(40);
  const std::string file = read(path);
  const std::string signature = read(signature_path);
  const OpenOptions trusting{.trust = Trust{.keys = {PublicKey::parse(test::kPublicKey)}}};
  (void)Filter::open(path, trusting);
  const std::size_t comment = signature.find('\n') + 1;  // what is before is not signed
  Mutator mutator(30);
  const int turns = std::getenv("CRIVO_LONG") != nullptr ? 100'000 : 500;
  int refused = 0;
  for (int turn = 0; turn < turns; ++turn) {
    std::string bytes = file;
    std::string signed_by = signature;
    if (turn % 2 == 0) {
      mutator.change(bytes, 0, other_file);
      if (turn % 4 == 0) {
        const base::Bytes mended = fuzz::put_together(fuzz::take_apart(base::as_bytes(bytes)));
        bytes = base::as_text(mended);
      }
    } else {
      mutator.change(signed_by, comment, other_signature);
    }
    if (bytes == file && signed_by == signature) continue;
    write(path, bytes);
    write(signature_path, signed_by);
    try {
      (void)Filter::open(path, trusting);
      ADD_FAILURE() << "turn " << turn << " is opened";
    } catch (const Error& error) {
      const ErrorKind kind = error.kind();
      EXPECT_TRUE(kind == ErrorKind::corrupt || kind == ErrorKind::too_new ||
                  kind == ErrorKind::too_old || kind == ErrorKind::usage)
          << "turn " << turn << ": " << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, turns * 3 / 4);  // what was mended may be what it was
}

}  // namespace
}  // namespace crivo
