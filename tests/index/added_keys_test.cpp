// SPDX-License-Identifier: Apache-2.0
/// Keys that a store's build did not have: added, changed, removed, and built in by a compaction.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/build/reproduce.hpp"
#include "crivo/inspect.hpp"
#include "index/updates_fixture.hpp"
#include "input/colliding_keys.hpp"
#include "lookup/store_files.hpp"
#include "support/errors.hpp"
#include "support/read_file.hpp"

namespace crivo::test {
namespace {

using Records = std::map<std::string, std::string>;
using Outcome = Store::Writer::Outcome;

class AddedKeys : public EveryStore {
 protected:
  static std::string name(std::uint64_t number) { return "new/" + std::to_string(number); }

  /// Every way to ask the store answers as `wanted` does, also of keys that it does not have.
  void expect_records(const Records& wanted, const Keys& others) const {
    const Store store = Store::open(path_);
    EXPECT_EQ(store.size(), wanted.size());
    Keys asked;
    for (const auto& [key, text] : wanted) asked.push_back(key);
    asked.insert(asked.end(), others.begin(), others.end());
    const auto expected = [&](const std::string& key) {
      const auto found = wanted.find(key);
      return found == wanted.end() ? std::string("-") : found->second;
    };
    const auto given = [](const Store::Answer& answer) {
      if (answer.status == Store::Status::damaged) return std::string("damaged");
      return answer.status == Store::Status::found ? std::string(answer.record) : std::string("-");
    };
    Store::Reader reader(store);
    for (const std::string& key : asked) ASSERT_EQ(record(reader, key), expected(key)) << key;
    const std::vector<std::string_view> views(asked.begin(), asked.end());
    std::size_t visited = 0;
    reader.find(views, [&](std::size_t i, const Store::Answer& answer) {
      ++visited;
      EXPECT_EQ(given(answer), expected(asked[i])) << asked[i];
    });
    EXPECT_EQ(visited, asked.size());
    std::vector<std::string> found(asked.size());
    store.find_all(views,
                   [&](std::size_t i, const Store::Answer& answer) { found[i] = given(answer); });
    for (std::size_t i = 0; i < asked.size(); ++i)
      ASSERT_EQ(found[i], expected(asked[i])) << asked[i];
    Records dumped;
    store.for_each([&](std::string_view key, std::string_view text) {
      if (store.is_ordered()) {
        EXPECT_TRUE(dumped.empty() || dumped.rbegin()->first < key);
      }
      dumped.emplace(key, text);
    });
    EXPECT_EQ(dumped, wanted);
  }
};

/// A cursor goes through so many records, or says that the store is damaged.
void expect_all_in_order(const Store& store, std::size_t records) {
  Store::Cursor cursor(store);
  std::size_t seen = 0;
  std::string before;
  for (bool more = cursor.seek(0); more; more = cursor.next(), ++seen) {
    ASSERT_TRUE(seen == 0 || before < cursor.key());
    before = cursor.key();
  }
  ASSERT_TRUE(cursor.is_damaged() || seen == records) << seen;
}

TEST_P(AddedKeys, AreCountedAndFound) {
  build();
  Records wanted;
  for (const std::string& key : keys_) wanted[key] = "0";
  {
    Store::Writer writer(path_);
    EXPECT_EQ(writer.set("", "the empty key"), Outcome::added);
    EXPECT_EQ(writer.set(name(1), "one"), Outcome::added);
    EXPECT_EQ(writer.set(name(1), "two"), Outcome::replaced);
    EXPECT_EQ(writer.set(keys_[0], "0"), Outcome::unchanged);
    EXPECT_EQ(writer.set(name(2), "gone"), Outcome::added);
    EXPECT_TRUE(writer.remove(name(2)));
    EXPECT_FALSE(writer.remove(name(2)));
    EXPECT_FALSE(writer.remove(name(3)));
    writer.commit();
    EXPECT_EQ(writer.set(name(1), "two"), Outcome::unchanged);
    EXPECT_EQ(writer.set(name(2), "again"), Outcome::added);
    EXPECT_EQ(writer.set(name(3), "dropped"), Outcome::added);
  }
  wanted[""] = "the empty key";
  wanted[name(1)] = "two";
  expect_records(wanted, {name(2), name(3)});
  const FileInfo info = inspect(path_);
  EXPECT_EQ(*info.find<std::uint64_t>("added_records"), 2U);
  EXPECT_EQ(*info.find<std::uint64_t>("changed_records"), 0U);
  EXPECT_EQ(*info.find<std::uint64_t>("removed_records"), 1U);
  verify(path_);
  const StoreEdit edit =
      set_records(path_, shop_.pairs({keys_[0], keys_[1], name(2), name(4)}, {"0", "1", "2", "4"}));
  EXPECT_EQ(edit.given, 4U);
  EXPECT_EQ(edit.added, 2U);
  EXPECT_EQ(edit.replaced, 1U);
  EXPECT_EQ(edit.unchanged, 1U);
  EXPECT_EQ(edit.records, kKeys + 4);
}

TEST_P(AddedKeys, AreRefusedWhereOnlyOthersAreMeant) {
  build();
  const auto set = [&](const Keys& keys, SetKeys which) {
    return set_records(path_, shop_.pairs(keys, Keys(keys.size(), "x")), {.keys = which});
  };
  EXPECT_EQ(set({keys_[0], keys_[1]}, SetKeys::existing).replaced, 2U);
  EXPECT_EQ(set({name(0), name(1)}, SetKeys::added).added, 2U);
  const std::string missing = error_of(ErrorKind::bad_input, [&] {
    set({keys_[2], name(2)}, SetKeys::existing);
  });
  EXPECT_NE(missing.find("\"new/2\" is not in the store"), std::string::npos) << missing;
  const std::string present = error_of(ErrorKind::bad_input, [&] {
    set({name(3), name(1)}, SetKeys::added);
  });
  EXPECT_NE(present.find("\"new/1\" is in the store already"), std::string::npos) << present;
  EXPECT_EQ(Store::open(path_).size(), kKeys + 2);
  EXPECT_EQ(now(2), "0");
}

/// Against a map in memory: many commits, whose runs are merged, and compactions between.
TEST_P(AddedKeys, AreThoseOfAMapInMemory) {
  build();
  Records wanted;
  for (const std::string& key : keys_) wanted[key] = "0";
  std::mt19937_64 random(20261128);
  const std::uint64_t names = 800;
  const std::size_t rounds = is_long() ? 200 : 6;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::optional<Store::Writer> writer(path_);
    for (std::size_t commit = 0; commit < 1 + random() % 12; ++commit) {
      for (std::size_t step = 0; step < random() % 60; ++step) {
        const std::uint64_t number = random() % names;
        const std::string key = random() % 4 == 0 ? keys_[number % kKeys] : name(number);
        if (random() % 4 == 0) {
          ASSERT_EQ(writer->remove(key), wanted.erase(key) == 1) << key;
        } else {
          const std::string text = std::to_string(random() % 3) + std::string(random() % 40, 'r');
          const auto had = wanted.find(key);
          const Outcome outcome = writer->set(key, text);
          ASSERT_EQ(outcome == Outcome::added, had == wanted.end()) << key;
          wanted[key] = text;
        }
      }
      writer->commit();
    }
    if (round % 3 == 2) writer.reset();  // which a compaction waits for
    Keys absent{"never"};
    for (std::uint64_t number = 0; number < names; number += 7) absent.push_back(name(number));
    std::erase_if(absent, [&](const std::string& key) { return wanted.contains(key); });
    expect_records(wanted, absent);
    verify(path_);
    if (round % 3 != 2) continue;
    const StoreCompaction done = compact_store(path_);
    EXPECT_TRUE(done.is_compacted);
    EXPECT_EQ(done.records, wanted.size());
    EXPECT_TRUE(updates().empty());
    expect_records(wanted, absent);
  }
  Keys keys;
  Keys texts;
  for (const auto& [key, text] : wanted) {
    keys.push_back(key);
    texts.push_back(text);
  }
  EXPECT_EQ(verify_keys(path_, shop_.pairs(keys, texts)), keys.size());
  texts.back() += "!";
  error_of(ErrorKind::mismatch, [&] { (void)verify_keys(path_, shop_.pairs(keys, texts)); });
}

/// A commit of which so little is kept in memory that it is spilled again and again is like any
/// other: of equal keys the last counts, wherever they were.
TEST_P(AddedKeys, AreSpilled) {
  build();
  Records wanted;
  for (const std::string& key : keys_) wanted[key] = "0";
  std::mt19937_64 random(7);
  for (const std::uint64_t memory : {1, 1 << 15, 1 << 17}) {
    Keys keys;
    Keys texts;
    std::uint64_t added = 0;
    for (std::size_t i = 0; i < (memory == 1 ? 300 : 2000); ++i) {
      const std::uint64_t number = random() % 700;
      keys.push_back(random() % 4 == 0 ? keys_[number % kKeys] : name(number));
      texts.push_back(std::to_string(random() % 3));
      added += wanted.contains(keys.back()) ? 0 : 1;
      wanted[keys.back()] = texts.back();
    }
    const std::uint64_t before = Store::open(path_).size();
    const StoreEdit done =
        set_records(path_, shop_.pairs(keys, texts), {.resources = {.memory = memory}});
    EXPECT_EQ(done.added, added);
    EXPECT_EQ(done.records, before + added);
    expect_records(wanted, {name(701)});
    verify(path_);
    Keys gone;
    for (std::uint64_t i = 0; i < 400; ++i) gone.push_back(name(random() % 700));
    const StoreEdit removed =
        remove_records(path_, shop_.input(gone), {.resources = {.memory = memory}});
    for (const std::string& key : gone) wanted.erase(key);
    EXPECT_EQ(removed.records, wanted.size());
    expect_records(wanted, gone);
  }
  const index::StoreFiles files = index::StoreFiles::open(path_, file::Loading::mapped);
  EXPECT_EQ(files.records()->updates().commits, 6U);
}

/// Of two keys of one 128-bit hash a store takes one: which the other is, the message tells.
TEST_P(AddedKeys, OfOneHashAreRefused) {
  build();
  const auto [one, other] = input::CollidingKeys({Store::open(path_).seed()}, 1).get();
  const auto refused = [&](const Keys& keys) {
    return error_of(ErrorKind::bad_input,
                    [&] { set_records(path_, shop_.pairs(keys, Keys(keys.size(), "x"))); });
  };
  const std::string both = refused({keys_[0], one, other});
  EXPECT_NE(both.find("key 3"), std::string::npos) << both;
  EXPECT_NE(both.find("the record of number 2"), std::string::npos) << both;
  EXPECT_EQ(now(0), "0");
  EXPECT_TRUE(updates().empty());
  set_records(path_, shop_.pairs({one}, {"one"}));
  EXPECT_NE(refused({other}).find(quote(one)), std::string::npos);
  compact_store(path_);
  if (options_.ordered) {  // whose dictionary has the texts
    set_records(path_, shop_.pairs({other}, {"other"}));
    compact_store(path_);
  } else {
    EXPECT_NE(refused({other}).find(quote(one)), std::string::npos);
  }
  const Store store = Store::open(path_);
  Store::Reader reader(store);
  EXPECT_EQ(record(reader, one), "one");
  EXPECT_EQ(record(reader, other), options_.ordered ? "other" : "-");
}

/// A compacted store is, byte for byte, the one that a build of the same records makes.
TEST_P(AddedKeys, AreBuiltInByACompaction) {
  build();
  Keys keys = keys_;
  Keys texts(kKeys, "0");
  Keys added;
  for (std::uint64_t i = 0; i < 3000; ++i) added.push_back(name(i));
  set_records(path_, shop_.pairs(added, added));
  compact_store(path_);
  keys.insert(keys.end(), added.begin(), added.end());
  texts.insert(texts.end(), added.begin(), added.end());
  build_store(shop_.pairs(keys, texts), shop_.at("whole"), options_, Workshop::options());
  EXPECT_EQ(read_file(path_ / "index.crv"), read_file(shop_.at("whole") / "index.crv"));
}

/// Each byte of a log with added keys, flipped: the right answer or `damaged`, never another.
TEST_P(AddedKeys, AreNeverLostInSilence) {
  build();
  Keys added;
  for (std::uint64_t i = 0; i < 40; ++i) added.push_back(name(i));
  set_records(path_, shop_.pairs(added, added));
  remove_records(path_, shop_.input({name(7)}));
  const base::Bytes log = read_file(updates());
  for (std::size_t at = 0; at < log.size(); at += at < 4096 && !is_long() ? 61 : 3) {
    std::string damaged(base::as_text(log));
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    std::ofstream(updates(), std::ios::binary | std::ios::trunc) << damaged;
    try {
      const Store store = Store::open(path_);
      Store::Reader reader(store);
      for (std::size_t i = 0; i < added.size(); ++i) {
        const std::string found = record(reader, added[i]);
        ASSERT_TRUE(found == (i == 7 ? "-" : added[i]) || found == "damaged") << at << ' ' << found;
      }
      if (store.is_ordered()) expect_all_in_order(store, kKeys + added.size() - 1);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
    }
    if (at >= 4096) {
      EXPECT_THROW(verify(path_), Error) << at;
    }
  }
}

/// A writer that opens a damaged index takes no key of the build for a new one.
TEST_P(AddedKeys, AreNotThoseThatADamagedIndexHides) {
  const Keys many = numbered_keys(60'000);  // an index of more than the 64 KiB that have page sums
  build_store(shop_.pairs(many, many), path_, options_, Workshop::options());
  const base::Bytes index = read_file(path_ / "index.crv");
  std::mt19937_64 random(1);
  for (int round = 0; round < 25; ++round) {
    std::string damaged(base::as_text(index));
    const std::size_t at = 192 + random() % (damaged.size() - 300);
    for (std::size_t i = at; i < std::min(at + 64, damaged.size()); ++i) damaged[i] = 'x';
    std::ofstream(path_ / "index.crv", std::ios::binary | std::ios::trunc) << damaged;
    try {
      Store::Writer writer(path_);
      for (std::size_t i = 0; i < many.size(); i += 7) {
        try {
          ASSERT_EQ(writer.set(many[i], many[i]), Outcome::unchanged) << at;
        } catch (const Error& error) {
          ASSERT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
        }
      }
    } catch (const Error& error) {
      EXPECT_TRUE(error.kind() == ErrorKind::corrupt || error.kind() == ErrorKind::too_new)
          << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, AddedKeys, every_store());

}  // namespace
}  // namespace crivo::test
