// SPDX-License-Identifier: Apache-2.0
// Ordered stores against a std::map: records, prefixes, bounds and cursors.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>

#include "crivo/build/edit.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/inspect.hpp"
#include "crivo/store.hpp"
#include "file/section_types.hpp"
#include "fuzz/mended_file.hpp"
#include "index/key_sets.hpp"
#include "support/read_file.hpp"
#include "support/sizes.hpp"
#include "support/stores.hpp"

namespace crivo::test {
namespace {

using Records = std::map<std::string, std::string>;

/// Pairs of any bytes.
class Pairs final : public KeySource {
 public:
  explicit Pairs(Records records) : records_(std::move(records)) {}
  std::string name() const override { return "pairs"; }
  bool next(KeyWriter& writer) override {
    for (const auto& [key, record] : records_) writer.record(key, record);
    return false;
  }

 private:
  Records records_;
};

KeyInput input_of_records(const Records& records) {
  KeyInput input = input_of(std::make_shared<Pairs>(records));
  input.format.allow_empty = true;
  return input;
}

StoreOptions ordered(const std::string& codec = "auto") {
  return {.backend = "flat", .codec = codec, .ordered = true};
}

class OrderedStore : public testing::Test {
 protected:
  Store build(const Records& records, const std::string& codec = "auto",
              std::uint64_t memory = 0) const {
    BuildOptions options = Workshop::options();
    options.resources.memory = memory;
    build_store(input_of_records(records), shop_.at("store"), ordered(codec), options);
    return Store::open(shop_.at("store"));
  }

  Workshop shop_;
};

/// So many turns, or fewer where not all tests are run.
unsigned turns(unsigned all, unsigned usual) {
  return std::getenv("CRIVO_LONG") != nullptr ? all : usual / kFewer;
}

/// A text of few different bytes, NUL and ff among them, so that many begin alike.
std::string random_text(std::mt19937_64& random, std::size_t most) {
  static constexpr std::string_view kBytes("\0\1ab\xff", 5);
  std::string text(random() % (most + 1), '\0');
  for (char& byte : text) byte = kBytes[random() % kBytes.size()];
  return text;
}

void expect_range(const Store& store, const Store::Range& range, Records::const_iterator begin,
                  Records::const_iterator end, const Records& records) {
  ASSERT_EQ(range.begin, static_cast<std::uint64_t>(std::distance(records.begin(), begin)));
  ASSERT_EQ(range.size(), static_cast<std::uint64_t>(std::distance(begin, end)));
  Store::Cursor cursor(store);
  bool more = cursor.seek(range.begin);
  for (auto at = begin; at != end; ++at, more = cursor.next()) {
    ASSERT_TRUE(more);
    ASSERT_EQ(cursor.key(), at->first);
    ASSERT_EQ(cursor.record(), at->second);
  }
  ASSERT_EQ(more, end != records.end());
  ASSERT_FALSE(cursor.is_damaged());
}

void expect_answers(const Store& store, const Records& records,
                    const std::vector<std::string>& texts) {
  Store::Reader reader(store);
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const auto expect_one = [&](std::size_t i, const Store::Answer& answer) {
    const auto at = records.find(texts[i]);
    ASSERT_EQ(answer.status, at == records.end() ? Store::Status::absent : Store::Status::found);
    if (at != records.end()) {
      ASSERT_EQ(answer.record, at->second);
    }
  };
  for (std::size_t i = 0; i != texts.size(); ++i) {
    expect_one(i, reader.find(texts[i]));
    expect_one(i, reader.find(texts[i], store.hash(texts[i])));
  }
  reader.find(views, expect_one);
  store.find_all(views, expect_one);
  for (const std::string& text : texts) {
    const auto low = records.lower_bound(text);
    ASSERT_EQ(store.lower_bound(text),
              static_cast<std::uint64_t>(std::distance(records.begin(), low)));
    auto end = low;
    while (end != records.end() && end->first.starts_with(text)) ++end;
    expect_range(store, store.prefix(text), low, end, records);
    Store::Cursor cursor(store);
    ASSERT_EQ(cursor.seek(text), low != records.end());
    if (low != records.end()) {
      ASSERT_EQ(cursor.key(), low->first);
    }
  }
}

void expect_dump(const Store& store, const Records& records) {
  Records walked;
  store.for_each([&](std::string_view key, std::string_view record) {
    ASSERT_TRUE(walked.empty() || walked.rbegin()->first < key);
    walked.emplace(key, record);
  });
  ASSERT_EQ(walked, records);
}

TEST_F(OrderedStore, AnswersAsAMapDoes) {
  std::mt19937_64 random(31);
  const unsigned rounds = turns(100'000, 40);
  const std::vector<std::string> codecs{"auto", "none", "tokens12", "tokens16", "zstd"};
  for (unsigned round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    Records records;
    const std::size_t count = random() % (round % 8 == 0 ? 600 : 20);
    for (std::size_t i = 0; i != count; ++i)
      records[random_text(random, 1 + random() % 9)] = random_text(random, random() % 40);
    const Store store = build(records, codecs[round % codecs.size()]);
    ASSERT_TRUE(store.is_ordered());
    ASSERT_EQ(store.size(), records.size());
    std::vector<std::string> texts{""};
    for (const auto& [key, record] : records) texts.push_back(key);
    for (unsigned i = 0; i < 40; ++i) texts.push_back(random_text(random, 9));
    expect_answers(store, records, texts);
    store.verify();
    expect_dump(store, records);
  }
}

/// Keys of a few bytes, so that those that are added stand before, between and behind the others,
/// and many before the same one.
TEST_F(OrderedStore, GrowsAsAMapDoes) {
  std::mt19937_64 random(32);
  const unsigned rounds = turns(3'000, 16);
  const std::vector<std::string> codecs{"none", "tokens12", "zstd"};
  for (unsigned round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    Records records;
    for (std::uint64_t i = random() % 3 == 0 ? 0 : random() % 60; i != 0; --i)
      records[random_text(random, 1 + random() % 4)] = random_text(random, random() % 40);
    Store store = build(records, codecs[round % codecs.size()]);
    for (std::uint64_t commit = 1 + random() % 4; commit != 0; --commit) {
      const Records before = records;
      std::optional<Store::Writer> writer(shop_.at("store"));
      for (std::uint64_t step = random() % 50; step != 0; --step) {
        const std::string key = random_text(random, 1 + random() % 4);
        if (random() % 3 == 0) {
          ASSERT_EQ(writer->remove(key), records.erase(key) == 1);
        } else {
          writer->set(key, records[key] = random_text(random, random() % 40));
        }
      }
      writer->commit();
      writer.reset();
      std::vector<std::string> texts{""};
      for (const auto& [key, record] : records) texts.push_back(key);
      for (unsigned i = 0; i < 40; ++i) texts.push_back(random_text(random, 5));
      expect_range(store, {0, before.size()}, before.begin(), before.end(), before);
      store.refresh();
      for (int turn = 0; turn < 2; ++turn) {
        ASSERT_EQ(store.size(), records.size());
        expect_answers(store, records, texts);
        expect_dump(store, records);
        store.verify();
        if (commit % 2 == 0 || !compact_store(shop_.at("store")).is_compacted) break;
        ASSERT_TRUE(store.refresh());
      }
    }
  }
}

TEST_F(OrderedStore, HoldsLongKeysAndRecords) {
  Records records;
  for (const std::string& key : adversarial_keys()) records[key] = key.substr(0, 7);
  records["large"] = std::string(std::size_t{9} << 20, 'x') + "end";
  records["larger"] = std::string(std::size_t{9} << 20, 'y');
  // So little that what is sorted at once is less than one of the records.
  const Store store = build(records, "auto", std::uint64_t{80} << 20);
  Store::Reader reader(store);
  for (const auto& [key, record] : records) ASSERT_EQ(reader.find(key).record, record);
  expect_range(store, store.prefix("large"), records.find("large"),
               std::next(records.find("larger")), records);
  store.verify();
}

TEST_F(OrderedStore, EdgeSizes) {
  for (const std::size_t count : {0, 1, 2, 13, 14, 15, 63, 64, 65, 128, 129}) {
    SCOPED_TRACE(count);
    Records records;
    for (std::size_t i = 0; i != count; ++i) records[std::to_string(1000 + i)] = "";
    for (const char* const codec : {"none", "zstd"}) {
      const Store store = build(records, codec);
      expect_answers(store, records, {"", "1", "10", "1000", "1063", "1064", "1128", "2", "\xff"});
      store.verify();
    }
  }
}

TEST_F(OrderedStore, OtherStoresHaveNoOrder) {
  const auto path = shop_.at("store");
  build_store(input_of_records({{"a", "b"}}), path, {.backend = "flat"}, Workshop::options());
  const Store store = Store::open(path);
  EXPECT_FALSE(store.is_ordered());
  for (const auto& ask : std::vector<std::function<void()>>{
           [&] { (void)store.prefix("a"); }, [&] { (void)store.lower_bound("a"); },
           [&] { const Store::Cursor cursor(store); }}) {
    EXPECT_NE(error_of(ErrorKind::usage, ask).find("not in the order of their keys"),
              std::string::npos);
  }
  const StoreOptions lmdb{.ordered = true};
  EXPECT_EQ(error_of(ErrorKind::usage,
                     [&] {
                       build_store(input_of_records({{"a", "b"}}), path, lmdb, Workshop::options());
                     }),
            "ordered: needs the backend flat: records of the backend lmdb are in the order of "
            "hashes");
}

/// Whatever a byte of the dictionary or the slots becomes, checksums mended: no key gets the record
/// of another, and no key that is not there gets one.
TEST_F(OrderedStore, ADamagedDictionaryGivesNoOtherRecord) {
  Records records;
  for (unsigned i = 0; i < 300; ++i)
    records["key " + std::to_string(i * i)] = "record " + std::to_string(i);
  std::vector<std::string> texts;
  for (const auto& [key, record] : records) {
    texts.push_back(key);
    texts.push_back(key + "0");
  }
  for (const char* const codec : {"none", "zstd"}) {
    (void)build(records, codec);
    const auto index_path = shop_.at("store") / "index.crv";
    const auto data_path = data_file(shop_.at("store"));
    const base::Bytes sound = read_file(index_path);
    const base::Bytes data = read_file(data_path);
    std::mt19937_64 random(7);
    const unsigned rounds = turns(50'000, 1'000);
    unsigned opened = 0;
    unsigned damaged = 0;
    for (unsigned round = 0; round < rounds; ++round) {
      fuzz::FileParts parts = fuzz::take_apart(sound);
      auto& section = parts.sections[random() % parts.sections.size()];
      if (section.bytes.empty() || section.type == file::kLeavesSection) continue;
      section.bytes[random() % section.bytes.size()] = static_cast<std::byte>(random());
      const auto directory = shop_.at("mutant");
      std::filesystem::remove_all(directory);
      std::filesystem::create_directory(directory);
      const auto write = [](const std::filesystem::path& path, base::ByteView bytes) {
        std::ofstream(path, std::ios::binary) << base::as_text(bytes);
      };
      write(directory / "index.crv", fuzz::put_together(parts));
      try {
        write(data_file(directory), data);
        const Store store = Store::open(directory);
        ++opened;
        Store::Reader reader(store);
        for (const std::string& text : texts) {
          const Store::Answer answer = reader.find(text);
          damaged += answer.status == Store::Status::damaged ? 1 : 0;
          if (answer.status != Store::Status::found) continue;
          ASSERT_TRUE(records.contains(text)) << text;
          ASSERT_EQ(answer.record, records[text]) << text;
        }
        Store::Cursor cursor(store);
        for (bool more = cursor.seek(0); more; more = cursor.next()) {
          const auto at = records.find(std::string(cursor.key()));
          ASSERT_TRUE(at != records.end() && at->second == cursor.record()) << cursor.key();
        }
      } catch (const Error&) {
      }
    }
    EXPECT_GT(opened, rounds / 4);
    EXPECT_GT(damaged, 0U);
  }
}

}  // namespace
}  // namespace crivo::test
