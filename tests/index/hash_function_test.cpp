// SPDX-License-Identifier: Apache-2.0
// What a hash function says of itself, and that a hash that another function made is refused
// wherever one is taken, instead of answered wrongly.

#include <gtest/gtest.h>

#include <array>
#include <type_traits>

#include "crivo/filter.hpp"
#include "crivo/map.hpp"
#include "crivo/mphf.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"

namespace crivo::test {
namespace {

/// Every structure over the same keys, with the seed and key hash that it was built with.
class HashFunctions : public testing::Test {
 protected:
  static BuildOptions seeded(std::uint64_t seed) {
    BuildOptions options = Workshop::options();
    options.seed = seed;
    return options;
  }
  Mphf mphf(std::uint64_t seed = kDefaultSeed, const std::string& hash = "xxh3") const {
    build_mphf(shop_.input(keys_), shop_.at("out"),
               {.algorithm = hash == "xxh3" ? "fast" : "bdz", .hash = hash}, seeded(seed));
    return Mphf::open(shop_.at("out"));
  }
  Filter filter(std::uint64_t seed = kDefaultSeed, const std::string& type = "ribbon") const {
    build_filter(shop_.input(keys_), shop_.at("out"), {.type = type, .fpr = 1.0 / 256},
                 seeded(seed));
    return Filter::open(shop_.at("out"));
  }
  Map map(std::uint64_t seed = kDefaultSeed) const {
    build_map(shop_.input(keys_), shop_.at("out"), {}, seeded(seed));
    return Map::open(shop_.at("out"));
  }
  Store store(std::uint64_t seed = kDefaultSeed) const {
    build_store(shop_.pairs(keys_, keys_), shop_.at("out-store"), {}, seeded(seed));
    return Store::open(shop_.at("out-store"));
  }

  const Workshop shop_;
  const Keys keys_ = numbered_keys(3000);
};

TEST_F(HashFunctions, AreEqualByKeyHashAndSeed) {
  const std::vector<HashFunction> functions{
      mphf().hash_function(),
      mphf(1).hash_function(),
      mphf(0, "universal").hash_function(),
      mphf(1, "universal").hash_function(),
      mphf(0, "zobrist").hash_function(),
      mphf(0, "jenkins").hash_function(),
      filter(0, "split-block-bloom").hash_function(),
  };
  for (std::size_t i = 0; i < functions.size(); ++i) {
    for (std::size_t j = 0; j < functions.size(); ++j) {
      EXPECT_EQ(functions[i] == functions[j], i == j);
      EXPECT_EQ(functions[i]("key") == functions[j]("key"), i == j);
    }
  }
  EXPECT_EQ(functions[0].name(), "xxh3");
  EXPECT_EQ(functions[3].name(), "universal");
  EXPECT_EQ(functions[3].seed(), 1U);
  EXPECT_EQ(map().hash_function(), functions[0]);
  EXPECT_EQ(store(1).hash_function(), functions[1]);
  EXPECT_EQ(filter().hash_function(), functions[0]);
}

/// Parquet's hash takes no seed: filters of that type share hashes, whatever seeds they have.
TEST_F(HashFunctions, OfSplitBlockFiltersHaveNoSeed) {
  const Filter first = filter(0, "split-block-bloom");
  const Filter second = filter(5, "split-block-bloom");
  EXPECT_EQ(second.seed(), 5U);
  EXPECT_EQ(second.hash_function().seed(), 0U);
  ASSERT_EQ(first.hash_function(), second.hash_function());
  for (const std::string& key : keys_) EXPECT_TRUE(second.contains(first.hash(key)));
}

/// ask() throws Error(usage) whose text has all of `words`.
void expect_refused(const std::vector<std::string>& words, const auto& ask) {
  try {
    ask();
    ADD_FAILURE() << "answered";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    for (const std::string& word : words) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }
}

/// Each way to ask by `hash`.
void expect_all_refuse(const Mphf& mphf, const Filter& filter, const Map& map, const Store& store,
                       const KeyHash& hash, const std::vector<std::string>& words) {
  const std::string_view key = "key";
  std::array<KeyHash, 2000> hashes;
  hashes.fill(mphf.hash(key));
  hashes[1500] = hash;  // one of many
  const std::vector<std::string_view> texts(hashes.size(), key);
  std::array<std::uint64_t, hashes.size()> numbers{};
  std::array<bool, hashes.size()> bools{};
  Store::Reader reader(store);
  const auto visit = [](std::size_t, const Store::Answer&) {};
  expect_refused(words, [&] { (void)mphf.lookup(hash); });
  expect_refused(words, [&] { mphf.lookup(hashes, numbers); });
  expect_refused(words, [&] { (void)filter.contains(hash); });
  expect_refused(words, [&] { (void)filter.count(hash); });
  expect_refused(words, [&] { filter.contains(hashes, bools); });
  expect_refused(words, [&] { (void)map.lookup(hash); });
  expect_refused(words, [&] { map.lookup(hashes, numbers, bools); });
  expect_refused(words, [&] { (void)reader.find(key, hash); });
  expect_refused(words, [&] { (void)reader.find(std::as_bytes(std::span(key)), hash); });
  expect_refused(words, [&] { (void)reader.find(std::uint64_t{1}, hash); });
  expect_refused(words, [&] { reader.find(texts, hashes, visit); });
}

TEST_F(HashFunctions, RefuseTheHashesOfOthers) {
  const Mphf mphf = this->mphf();
  const Filter filter = this->filter();
  const Map map = this->map();
  const Store store = this->store();
  const auto expect = [&](const KeyHash& hash, const std::vector<std::string>& words) {
    expect_all_refuse(mphf, filter, map, store, hash, words);
  };
  expect(this->mphf(7).hash(keys_[0]), {"xxh3 with another seed", "xxh3 with seed 0"});
  expect(this->mphf(0, "zobrist").hash(keys_[0]), {"zobrist", "xxh3 with seed 0"});
  expect(this->filter(0, "split-block-bloom").hash(keys_[0]), {"xxh64", "xxh3 with seed 0"});
  expect({}, {"never assigned"});
  const Filter split = this->filter(0, "split-block-bloom");
  expect_refused({"xxh3", "xxh64"}, [&] { (void)split.contains(mphf.hash(keys_[0])); });
  const Mphf universal = this->mphf(3, "universal");
  expect_refused({"xxh3", "universal with seed 3"},
                 [&] { (void)universal.lookup(mphf.hash(keys_[0])); });
}

/// What `ask` may be called with.
template <template <typename> typename CanAsk>
constexpr bool takes_keys_alone() {
  const bool keys = CanAsk<const char*>::value && CanAsk<std::string>::value &&
                    CanAsk<std::string_view>::value && CanAsk<std::span<const std::byte>>::value &&
                    CanAsk<std::uint64_t>::value && CanAsk<std::int64_t>::value &&
                    CanAsk<unsigned long long>::value && CanAsk<long long>::value;
  const bool others = CanAsk<bool>::value || CanAsk<char>::value || CanAsk<char8_t>::value ||
                      CanAsk<short>::value || CanAsk<int>::value || CanAsk<std::uint32_t>::value ||
                      CanAsk<float>::value || CanAsk<double>::value || CanAsk<long double>::value ||
                      CanAsk<std::nullptr_t>::value || CanAsk<std::byte>::value ||
                      CanAsk<int*>::value;
  return keys && !others;
}

template <typename T>
using HashedBy = std::bool_constant < requires(const HashFunction& f, T key) {
  f(key);
}
> ;
template <typename T>
using MphfLookup = std::bool_constant < requires(const Mphf& mphf, T key) {
  mphf.lookup(key);
}
> ;
template <typename T>
using MphfHash = std::bool_constant < requires(const Mphf& mphf, T key) {
  mphf.hash(key);
}
> ;
template <typename T>
using Contains = std::bool_constant < requires(const Filter& f, T key) {
  f.contains(key);
}
> ;
template <typename T>
using Count = std::bool_constant < requires(const Filter& f, T key) {
  f.count(key);
}
> ;
template <typename T>
using FilterHash = std::bool_constant < requires(const Filter& f, T key) {
  f.hash(key);
}
> ;
template <typename T>
using MapLookup = std::bool_constant < requires(const Map& map, T key) {
  map.lookup(key);
}
> ;
template <typename T>
using MapHash = std::bool_constant < requires(const Map& map, T key) {
  map.hash(key);
}
> ;
template <typename T>
using Find = std::bool_constant < requires(Store::Reader& reader, T key) {
  reader.find(key);
}
> ;
template <typename T>
using FindHashed = std::bool_constant < requires(Store::Reader& reader, T key, KeyHash hash) {
  reader.find(key, hash);
}
> ;
template <typename T>
using StoreHash = std::bool_constant < requires(const Store& store, T key) {
  store.hash(key);
}
> ;

static_assert(takes_keys_alone<HashedBy>());
static_assert(takes_keys_alone<MphfLookup>() && takes_keys_alone<MphfHash>());
static_assert(takes_keys_alone<Contains>() && takes_keys_alone<Count>() &&
              takes_keys_alone<FilterHash>());
static_assert(takes_keys_alone<MapLookup>() && takes_keys_alone<MapHash>());
static_assert(takes_keys_alone<Find>() && takes_keys_alone<FindHashed>() &&
              takes_keys_alone<StoreHash>());

template <typename... T>
concept MakeAKeyHash = requires(T... bits) {
  KeyHash{bits...};
};
static_assert(!MakeAKeyHash<std::uint64_t> && !MakeAKeyHash<std::uint64_t, std::uint64_t> &&
              !MakeAKeyHash<detail::Hash128, std::uint64_t>);

// By key nothing throws; by hash, which another function may have made, it can.
static_assert(noexcept(std::declval<const Mphf&>().lookup("key")));
static_assert(noexcept(std::declval<const Mphf&>().lookup(std::uint64_t{1})));
static_assert(noexcept(std::declval<const Filter&>().contains("key")));
static_assert(noexcept(std::declval<const Map&>().lookup("key")));
static_assert(noexcept(std::declval<Store::Reader&>().find("key")));
static_assert(!noexcept(std::declval<const Mphf&>().lookup(KeyHash{})));

}  // namespace
}  // namespace crivo::test
