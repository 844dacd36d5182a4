// SPDX-License-Identifier: Apache-2.0
// What is built for keys that strangers chose: hashed by SipHash under the seed, and not by XXH3.

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

BuildOptions keyed(std::uint64_t seed, unsigned threads = 2) {
  BuildOptions options = Workshop::options(threads);
  options.seed = seed;
  options.keyed_hash = true;
  return options;
}

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

class KeyedBuilds : public testing::Test {
 protected:
  const Workshop shop_;
  const Keys keys_ = numbered_keys(3000);
  const std::filesystem::path out_ = shop_.at("out");
  const std::filesystem::path store_ = shop_.at("store");
};

TEST_F(KeyedBuilds, AnswerAndShareHashes) {
  build_mphf(shop_.input(keys_), out_, {.signature_bits = 32}, keyed(9));
  EXPECT_EQ(inspect(out_).hash, "siphash");
  EXPECT_EQ(inspect(out_).format_version, "0.1");
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
  EXPECT_NE(message.find("siphash with seed 9"), std::string::npos) << message;
  std::atomic<std::size_t> found = 0;  // visits come from any thread
  store.find_all(views(keys_), [&](std::size_t i, const Store::Answer& answer) {
    found += answer.status == Store::Status::found && answer.record == keys_[i];
  });
  EXPECT_EQ(found.load(), keys_.size());
}

TEST_F(KeyedBuilds, OfEveryAlgorithmAndType) {
  for (const std::string_view algorithm : mphf_algorithms()) {
    build_mphf(shop_.input(keys_), out_, {.algorithm = std::string(algorithm)}, keyed(1));
    EXPECT_EQ(inspect(out_).hash, "siphash");
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
    EXPECT_EQ(filter.hash_function().name(), "siphash");
    for (const std::string& key : keys_) EXPECT_TRUE(filter.contains(key)) << type;
  }
}

TEST_F(KeyedBuilds, AreEqualByTheirSeed) {
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
  BuildOptions plain = keyed(5);
  plain.keyed_hash = false;
  for (const BuildOptions& options : {keyed(6), plain}) {
    build_filter(shop_.input(keys_), out_, {}, options);
    images.insert(bytes_of(out_));
  }
  EXPECT_EQ(images.size(), 3U);
}

TEST_F(KeyedBuilds, AreChangedAndUnitedUnderTheirHash) {
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
  EXPECT_EQ(inspect(shop_.at("both")).hash, "siphash");
  BuildOptions plain = keyed(5);
  plain.keyed_hash = false;
  build_filter(shop_.input(more, "more"), second, options, plain);
  const std::string message = error_of(ErrorKind::usage, [&] {
    unite_filters(std::vector{out_, second}, shop_.at("both"), true);
  });
  EXPECT_NE(message.find("has the key hash xxh3"), std::string::npos) << message;
  EXPECT_NE(message.find("siphash"), std::string::npos) << message;
}

/// What the hash cannot stand for is refused, and not built without it.
TEST_F(KeyedBuilds, OfOtherKeyHashesAreRefused) {
  const KeyInput input = shop_.input(keys_);
  const auto expect_refused = [&](std::string_view named, const auto& ask) {
    const std::string message = error_of(ErrorKind::usage, ask);
    EXPECT_NE(message.find(named), std::string::npos) << message;
    EXPECT_FALSE(std::filesystem::exists(out_));
  };
  for (const std::string hash : {"universal", "zobrist", "jenkins"}) {
    const MphfOptions options{.algorithm = "bdz", .hash = hash};
    expect_refused(hash, [&] { build_mphf(input, out_, options, keyed(1)); });
    expect_refused(hash, [&] { estimate_mphf(input, options, keyed(1)); });
  }
  const FilterOptions options{.type = "split-block-bloom"};
  expect_refused("a split-block-bloom filter",
                 [&] { build_filter(input, out_, options, keyed(1)); });
  expect_refused("a split-block-bloom filter", [&] { estimate_filter(input, options, keyed(1)); });
}

}  // namespace
}  // namespace crivo::test
