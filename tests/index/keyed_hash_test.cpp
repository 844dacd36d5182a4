// SPDX-License-Identifier: Apache-2.0
// What is built for keys that strangers chose: hashed by SipHash or AES rounds under the seed, and
// not by XXH3.

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <set>
#include <vector>

#include "crivo/build/edit.hpp"
#include "crivo/build/reproduce.hpp"
#include "crivo/filter.hpp"
#include "crivo/inspect.hpp"
#include "crivo/map.hpp"
#include "crivo/mphf.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"
#include "input/colliding_keys.hpp"
#include "lookup/key_hash.hpp"
#include "support/text_filters.hpp"

namespace crivo::test {
namespace {

/// Computed by OpenSSL 3's SIPHASH with size 16 and the key (seed, 0).
TEST(KeyedHash, HasItsKnownValues) {
  const HashFunction zero = detail::HashAccess::function(hashing::KeyHashId::siphash, 0);
  const HashFunction seven = detail::HashAccess::function(hashing::KeyHashId::siphash, 7);
  const auto raw = [](const HashFunction& function, std::string_view key) {
    return detail::HashAccess::raw(function, key);
  };
  EXPECT_EQ(raw(zero, "a"), (Hash128{0xbea0379c744eccffU, 0x2573cd0e8904c4e6U}));
  EXPECT_EQ(raw(zero, "abc"), (Hash128{0xa82f9602c3de956cU, 0x7854d1d5c1695ecaU}));
  EXPECT_EQ(raw(seven, "abc"), (Hash128{0x06be2b69cd94eb3bU, 0xd5ad081dcf6b32cbU}));
  EXPECT_EQ(zero.name(), "siphash");
  const std::string number("\x01\x02\x03\x04\x05\x06\x07\x08", 8);
  EXPECT_EQ(seven(number), seven(std::uint64_t{0x0807060504030201}));
}

/// Some thousand pairs of which some share a half under almost any seed of XXH3; none under
/// SipHash.
TEST(KeyedHash, IsNotDefeatedByKeysThatDefeatAnySeedOfXxh3) {
  const Keys keys = input::keys_that_defeat_seeds(4096);
  unsigned defeated = 0;
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t seed = random_seed();
    std::set<std::uint64_t> seeded;
    std::set<std::uint64_t> keyed;
    for (const std::string& key : keys) {
      seeded.insert(hash_key(key, seed).hi);
      keyed.insert(hashing::siphash(key, seed).hi);
    }
    defeated += seeded.size() < keys.size();
    EXPECT_EQ(keyed.size(), keys.size());
  }
  EXPECT_GE(defeated, 8U);
}

/// By the name of the keyed hash.
class KeyedBuilds : public testing::TestWithParam<std::string> {
 protected:
  static BuildOptions keyed(std::uint64_t seed, unsigned threads = 2) {
    BuildOptions options = Workshop::options(threads);
    options.seed = seed;
    options.aes_hash = GetParam() == "aes";
    options.keyed_hash = !options.aes_hash;
    if (options.aes_hash) options.seed_high = kHigh;
    return options;
  }
  static BuildOptions plain(std::uint64_t seed) {
    BuildOptions options = Workshop::options();
    options.seed = seed;
    return options;
  }

  static constexpr std::uint64_t kHigh = 0xfedcba9876543210U;
  const Workshop shop_;
  const Keys keys_ = numbered_keys(3000);
  const std::filesystem::path out_ = shop_.at("out");
  const std::filesystem::path store_ = shop_.at("store");
};

TEST_P(KeyedBuilds, AnswerAndShareHashes) {
  build_mphf(shop_.input(keys_), out_, {.signature_bits = 32}, keyed(9));
  EXPECT_EQ(inspect(out_).hash, GetParam());
  EXPECT_EQ(inspect(out_).format_version, "1.0");
  verify_keys(out_, shop_.input(keys_));
  const Mphf mphf = Mphf::open(out_);
  std::set<std::uint64_t> ranks;
  for (const std::string& key : keys_) ranks.insert(mphf.lookup(key));
  EXPECT_EQ(ranks.size(), keys_.size());
  EXPECT_EQ(*ranks.rbegin(), keys_.size() - 1);

  build_map(shop_.input(keys_), out_, {.signature_bits = 16}, keyed(9));
  verify_keys(out_, shop_.input(keys_));
  const Map map = Map::open(out_);
  build_store(shop_.pairs(keys_, keys_), store_, {}, keyed(9));
  verify_keys(store_, shop_.pairs(keys_, keys_));
  const Store store = Store::open(store_);
  Store::Reader reader(store);
  EXPECT_EQ(map.hash_function(), mphf.hash_function());
  EXPECT_EQ(store.hash_function(), mphf.hash_function());
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const KeyHash hash = mphf.hash(keys_[i]);
    EXPECT_EQ(map.lookup(keys_[i]), i);
    EXPECT_EQ(map.lookup(hash), i);
    EXPECT_EQ(reader.find(keys_[i]).record, keys_[i]);
    EXPECT_EQ(reader.find(keys_[i], hash).record, keys_[i]);
  }
  EXPECT_FALSE(mphf.hash_function() == detail::HashAccess::function(hashing::KeyHashId::xxh3, 9));
  const std::string message = error_of(ErrorKind::usage, [&] {
    build_filter(shop_.input(keys_), out_, {}, Workshop::options());
    (void)mphf.lookup(Filter::open(out_).hash(keys_[0]));
  });
  EXPECT_NE(message.find(GetParam() + " with seed " + hashing::Seed(9, keyed(9).seed_high).text()),
            std::string::npos)
      << message;
  std::atomic<std::size_t> found = 0;  // visits come from any thread
  store.find_all(views(keys_), [&](std::size_t i, const Store::Answer& answer) {
    found += answer.status == Store::Status::found && answer.record == keys_[i];
  });
  EXPECT_EQ(found.load(), keys_.size());
}

TEST_P(KeyedBuilds, OfEveryAlgorithmAndType) {
  for (const std::string_view algorithm : mphf_algorithms()) {
    build_mphf(shop_.input(keys_), out_, {.algorithm = std::string(algorithm)}, keyed(1));
    EXPECT_EQ(inspect(out_).hash, GetParam());
    verify_keys(out_, shop_.input(keys_));
  }
  for (const std::string_view algorithm : map_algorithms()) {
    build_map(shop_.input(keys_), out_, {.algorithm = std::string(algorithm)}, keyed(1));
    verify_keys(out_, shop_.input(keys_));
  }
  for (const std::string_view type : test::text_filter_types()) {
    if (type == "split-block-bloom") continue;
    build_filter(shop_.input(keys_), out_, {.type = std::string(type)}, keyed(1));
    verify_keys(out_, shop_.input(keys_));
    const Filter filter = Filter::open(out_);
    EXPECT_EQ(filter.hash_function().name(), GetParam());
    for (const std::string& key : keys_) EXPECT_TRUE(filter.contains(key)) << type;
  }
}

TEST_P(KeyedBuilds, AreEqualByTheirSeed) {
  const auto bytes_of = [](const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  std::set<std::string> images;
  for (const unsigned threads : {1U, 3U}) {
    build_filter(shop_.input(keys_), out_, {}, keyed(5, threads));
    images.insert(bytes_of(out_));
  }
  EXPECT_EQ(images.size(), 1U);
  for (const BuildOptions& options : {keyed(6), plain(5)}) {
    build_filter(shop_.input(keys_), out_, {}, options);
    images.insert(bytes_of(out_));
  }
  EXPECT_EQ(images.size(), 3U);
}

TEST_P(KeyedBuilds, AreChangedAndUnitedUnderTheirHash) {
  const Keys more = numbered_keys(500, 3000);
  const auto second = shop_.at("second");
  const FilterOptions options{.type = "bloom", .fpr = 0.001, .capacity = 10'000};
  build_filter(shop_.input(keys_), out_, options, keyed(5));
  add_to_filter(out_, shop_.input(more, "more"));
  for (const Keys& keys : {keys_, more}) {
    for (const std::string& key : keys) EXPECT_TRUE(Filter::open(out_).contains(key));
  }
  build_filter(shop_.input(more, "more"), second, options, keyed(5));
  unite_filters(std::vector{out_, second}, shop_.at("both"), true);
  EXPECT_EQ(inspect(shop_.at("both")).hash, GetParam());
  build_filter(shop_.input(more, "more"), second, options, plain(5));
  const std::string message = error_of(ErrorKind::usage, [&] {
    unite_filters(std::vector{out_, second}, shop_.at("both"), true);
  });
  EXPECT_NE(message.find("has the key hash xxh3"), std::string::npos) << message;
  EXPECT_NE(message.find(GetParam()), std::string::npos) << message;
}

/// What the hash cannot stand for is refused, and not built without it.
TEST_P(KeyedBuilds, OfOtherKeyHashesAreRefused) {
  const KeyInput input = shop_.input(keys_);
  const auto expect_refused = [&](std::string_view name, const auto& ask) {
    const std::string message = error_of(ErrorKind::usage, ask);
    EXPECT_NE(message.find("and this is " + std::string(name)), std::string::npos) << message;
    EXPECT_FALSE(std::filesystem::exists(out_));
  };
  for (const std::string hash : {"universal", "zobrist", "jenkins"}) {
    const MphfOptions options{.algorithm = "bdz", .hash = hash};
    expect_refused(hash, [&] { build_mphf(input, out_, options, keyed(1)); });
    expect_refused(hash, [&] { estimate_mphf(input, options, keyed(1)); });
  }
  const FilterOptions options{.type = "split-block-bloom"};
  expect_refused("xxh64", [&] { build_filter(input, out_, options, keyed(1)); });
  expect_refused("xxh64", [&] { estimate_filter(input, options, keyed(1)); });
}

INSTANTIATE_TEST_SUITE_P(Hashes, KeyedBuilds, testing::Values("siphash", "aes"),
                         [](const auto& hash) { return hash.param; });

class AesBuilds : public KeyedBuilds {};

/// Files tell the two halves of the seed apart, and what was built by them is built again.
TEST_P(AesBuilds, HaveSeedsOf128Bits) {
  build_mphf(shop_.input(keys_), out_, {}, keyed(5));
  const FileInfo info = inspect(out_);
  EXPECT_EQ(info.seed, 5U);
  EXPECT_EQ(info.seed_high, kHigh);
  EXPECT_FALSE(reproduce(out_, shop_.input(keys_)).difference);
  const Mphf wide = Mphf::open(out_);
  EXPECT_EQ(wide.hash_function().seed_high(), kHigh);
  BuildOptions narrow = keyed(5);
  narrow.seed_high = 0;
  const auto second = shop_.at("second");
  build_mphf(shop_.input(keys_), second, {}, narrow);
  EXPECT_NE(inspect(second).digest, info.digest);
  EXPECT_NE(inspect(second).build_id, info.build_id);
  const Mphf other = Mphf::open(second);
  EXPECT_FALSE(other.hash_function() == wide.hash_function());
  error_of(ErrorKind::usage, [&] { (void)other.lookup(wide.hash(keys_[0])); });
}

/// A filter of ranges has a keyed hash of its own.
TEST_P(AesBuilds, OfRangesAreRefused) {
  const std::string message = error_of(ErrorKind::usage, [&] {
    build_filter(shop_.input(keys_), out_, {.type = "range", .bits = 8}, keyed(1));
  });
  EXPECT_NE(message.find("and this is range"), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(Hashes, AesBuilds, testing::Values("aes"));

}  // namespace
}  // namespace crivo::test
