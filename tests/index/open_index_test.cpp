// SPDX-License-Identifier: Apache-2.0
// Indexes that are opened as what they are, each kind by its row.
#include <gtest/gtest.h>

#include <map>

#include "crivo/build/kinds.hpp"
#include "crivo/build/shards.hpp"
#include "crivo/filter.hpp"
#include "crivo/index.hpp"
#include "crivo/inspect.hpp"
#include "crivo/map.hpp"
#include "crivo/mphf.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"

namespace crivo::test {
namespace {

constexpr std::uint64_t kKeysOfEach = 3000;

/// One of each kind over the keys, with choices.
std::unique_ptr<OpenIndex> built(const Workshop& shop, const std::string& kind, const Keys& keys,
                                 const Choices& choices = {}) {
  KeyInput input = shop.input(keys);
  for (const KindInfo& info : kinds()) {
    if (info.name != kind) continue;
    if (info.input == KindInput::records) input = shop.pairs(keys, keys);
    if (info.input == KindInput::rows) input = shop.pairs(keys, Keys(keys.size(), "file\t7"));
    if (info.input == KindInput::groups) input = shop.pairs(keys, Keys(keys.size(), "group"));
    if (info.input == KindInput::universe) {
      const Keys others = numbered_keys(kKeysOfEach, 10 * kKeysOfEach);
      input.universe = std::make_shared<const KeyInput>(shop.input(others, "universe"));
    }
  }
  build(kind, input, shop.at(kind), choices, Workshop::options());
  return OpenIndex::open(shop.at(kind));
}

struct Told {
  bool found;
  bool is_number;
  std::string text;
  bool operator==(const Told&) const = default;
};

/// What each key is told, one at a time and, which is the same, in a batch.
std::vector<Told> answers(OpenIndex& index, const Keys& keys) {
  std::vector<Told> single;
  std::vector<Told> batch;
  for (const std::string& key : keys) {
    index.answer(Key(key), [&](std::string_view told, const Answer& answer) {
      EXPECT_EQ(told, key);
      single.push_back({answer.found, answer.is_number, std::string(answer.text)});
    });
  }
  index.answer(views(keys), [&](std::string_view told, const Answer& answer) {
    EXPECT_EQ(told, keys.at(batch.size()));
    batch.push_back({answer.found, answer.is_number, std::string(answer.text)});
  });
  EXPECT_EQ(single, batch);
  return batch;
}

TEST(OpenIndex, OpensEachKindAsWhatItIs) {
  const Workshop shop;
  const Keys keys = numbered_keys(kKeysOfEach);
  const Keys absent = numbered_keys(kKeysOfEach, 10 * kKeysOfEach);
  for (const KindInfo& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const auto index = built(shop, std::string(kind.name), keys);
    EXPECT_EQ(index->kind(), kind.name);
    EXPECT_EQ(index->info().kind, kind.name);
    EXPECT_EQ(index->size(), kKeysOfEach);
    index->verify();
    for (const Told& told : answers(*index, keys)) EXPECT_TRUE(told.found);
    EXPECT_EQ(count_one_by_one(*index, views(keys)), kKeysOfEach);
    EXPECT_EQ(count_in_batches(*index, views(keys)), kKeysOfEach);
    std::uint64_t found = 0;
    for (const Told& told : answers(*index, absent)) {
      found += told.found ? 1 : 0;
      EXPECT_TRUE(told.found || told.text == (kind.name == "exact" ? "other" : ""));
    }
    EXPECT_EQ(count_one_by_one(*index, views(absent)), found);
    EXPECT_EQ(count_in_batches(*index, views(absent)), found);
    EXPECT_EQ(index->tells_absent(), found < kKeysOfEach / 10);
  }
}

TEST(OpenIndex, SaysWhatTheClassOfItsKindDoes) {
  const Workshop shop;
  const Keys keys = numbered_keys(kKeysOfEach);
  const auto mphf = built(shop, "mphf", keys, {{"signature_bits", "16"}});
  const auto filter = built(shop, "filter", keys);
  const auto map = built(shop, "map", keys);
  const auto store = built(shop, "store", keys);
  const auto ranks = answers(*mphf, keys);
  const auto maybe = answers(*filter, keys);
  const auto lines = answers(*map, keys);
  const auto records = answers(*store, keys);
  const Mphf own = Mphf::open(shop.at("mphf"));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(ranks[i], (Told{true, true, std::to_string(own.lookup(keys[i]))}));
    EXPECT_EQ(maybe[i], (Told{true, false, "maybe"}));
    EXPECT_EQ(lines[i], (Told{true, true, std::to_string(i)}));
    EXPECT_EQ(records[i], (Told{true, false, keys[i]}));
  }
}

TEST(OpenIndex, WritesValuesInTheirForm) {
  const Workshop shop;
  const auto told = [&](const Choices& choices, const std::string& value) {
    const KeyInput input = shop.write("pairs", "key\t" + value + "\n", {});
    build("map", input, shop.at("map"), choices, Workshop::options());
    return answers(*OpenIndex::open(shop.at("map")), {"key"}).front();
  };
  EXPECT_EQ(told({{"values", "1"}, {"value_type", "signed"}}, "-7"), (Told{true, true, "-7"}));
  EXPECT_EQ(told({{"values", "1"}, {"value_type", "decimal"}, {"scale", "2"}}, "-12.50"),
            (Told{true, false, "-12.50"}));
}

TEST(OpenIndex, DumpsWhatHoldsItsKeys) {
  const Workshop shop;
  const Keys keys = numbered_keys(100);
  std::map<std::string, std::string> dumped;
  built(shop, "store", keys)->for_each([&](std::string_view key, const std::string_view* record) {
    dumped.emplace(key, *record);
  });
  EXPECT_EQ(dumped.size(), keys.size());
  for (const std::string& key : keys) EXPECT_EQ(dumped[key], key);
  const auto filter = built(shop, "filter", keys);
  EXPECT_NE(error_of(ErrorKind::usage, [&] { filter->for_each({}); }).find("holds no keys to dump"),
            std::string::npos);
  const auto dictionary = built(shop, "dictionary", keys);
  for (const std::size_t values : {0, 1, 3}) {
    const std::vector<std::string> ends(values, "a");
    EXPECT_EQ(error_of(ErrorKind::usage, [&] { dictionary->query("range", ends, {}); }),
              "the query range takes two values");
  }
  EXPECT_NE(error_of(ErrorKind::usage, [&] { filter->query("prefix", {}, {}); })
                .find("takes no --prefix"),
            std::string::npos);
}

TEST(OpenIndex, RefusesFilesInWhichNoKeysAreLookedUp) {
  const Workshop shop;
  built(shop, "store", numbered_keys(100));
  EXPECT_NE(error_of(ErrorKind::usage, [&] { OpenIndex::open(shop.at("store") / "index.crv"); })
                .find("name its directory"),
            std::string::npos);
  partition_keys(shop.input(numbered_keys(100)), shop.at("keys.d"), {}, Workshop::options());
  finish_partition(shop.at("keys.d"));
  EXPECT_NE(error_of(ErrorKind::usage, [&] { OpenIndex::open(shop.at("keys.d") / "totals.crv"); })
                .find("a file of a partition"),
            std::string::npos);
}

TEST(Key, HashesItselfOnceForEqualFunctions) {
  const Workshop shop;
  const Keys keys = numbered_keys(100);
  built(shop, "mphf", keys);
  built(shop, "map", keys);
  const Mphf mphf = Mphf::open(shop.at("mphf"));
  const Map map = Map::open(shop.at("map"));
  build_filter(shop.input(keys), shop.at("other"), {.type = "split-block-bloom"},
               Workshop::options());
  const Filter other = Filter::open(shop.at("other"));
  built(shop, "store", keys);
  const Store store = Store::open(shop.at("store"));
  Store::Reader reader(store);
  for (const std::string& text : keys) {
    const Key key(text);
    EXPECT_EQ(mphf.lookup(key), mphf.lookup(text));
    const KeyHash* const first = &key.hash(mphf.hash_function());
    EXPECT_EQ(*first, mphf.hash(text));
    EXPECT_EQ(map.lookup(key), map.lookup(text));
    EXPECT_TRUE(other.contains(key));  // of another function: hashed anew
    EXPECT_EQ(key.hash(other.hash_function()), other.hash(text));
    EXPECT_EQ(reader.find(key).record, text);
    EXPECT_EQ(key.hash(mphf.hash_function()), mphf.hash(text));
  }
}

}  // namespace
}  // namespace crivo::test
