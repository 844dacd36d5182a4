// SPDX-License-Identifier: Apache-2.0
// Records come back from units, damaged units do not open, and codecs are chosen by the rule.

#include "records/unit.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "records/block.hpp"
#include "records/build/encoding.hpp"
#include "records/build/record_encoder.hpp"
#include "records/build/record_sample.hpp"
#include "store_fixture.hpp"

namespace crivo::records {
namespace {

using test::Records;
using namespace std::string_view_literals;

// The units that records become.
struct Units {
  CodecSection section;
  std::vector<base::Bytes> stored;
  std::vector<std::uint64_t> first_ranks;

  Units(const Records& records, const CodecRequest& request, unsigned threads = 1) {
    RecordEncoder encoder(test::coding_of(records, request), threads,
                          [&](std::span<const EncodedUnit> units) {
                            for (const EncodedUnit& unit : units) {
                              stored.emplace_back(unit.stored.begin(), unit.stored.end());
                              first_ranks.push_back(unit.first_rank);
                            }
                          });
    for (const auto& [key, record] : records) encoder.append({0, key, record});
    section = encoder.finish();
  }
};

Records hard_records() {
  std::mt19937_64 random(14);
  Records records = test::text_records(3000);
  records[5] = {"", ""};
  records[6] = {"k", ""};
  records[7] = {"", "r"};
  records[8] = {std::string("\0\0", 2), std::string(3000, '\0')};
  records[9] = {"long", std::string(1 << 20, 'l')};
  records[10] = {"random", test::random_bytes(random, 1 << 20)};
  records[11] = {test::random_bytes(random, 70'000), "of a long key"};
  for (std::size_t i = 100; i < 200; ++i) {
    records[i].second = test::random_bytes(random, random() % 300);
  }
  return records;
}

std::vector<CodecRequest> requests() {
  std::vector<CodecRequest> all{{}};
  for (const CodecType& type : codec_types()) all.push_back({.codec = type.id});
  all.push_back({.codec = CodecId::zstd, .block_bytes = kLeastBlock});
  all.push_back({.codec = CodecId::zstd, .block_bytes = kMostBlock});
  return all;
}

TEST(RecordEncoder, EveryRecordComesBackAndThreadsChangeNothing) {
  const Records records = hard_records();
  for (const CodecRequest& request : requests()) {
    const Units units(records, request);
    const Units more(records, request, 3);
    EXPECT_EQ(units.stored, more.stored);
    EXPECT_EQ(units.section.encode(), more.section.encode());
    const CodecType& type = units.section.type();
    SCOPED_TRACE(type.name);
    const auto codec = type.open(base::ByteView(units.section.dictionary));
    UnitReader reader(type, *codec, units.section.longest_raw);
    std::size_t rank = 0;
    for (std::size_t u = 0; u < units.stored.size(); ++u) {
      ASSERT_EQ(units.first_ranks[u], rank);
      ASSERT_TRUE(reader.open(units.stored[u], rank));
      for (int round = 0; round < 2; ++round) {
        rank = units.first_ranks[u];
        std::string_view key;
        std::string_view record;
        for (std::uint32_t i = 0; i < reader.records(); ++i, ++rank) {
          ASSERT_TRUE(reader.take(key, record));
          ASSERT_TRUE(key == records[rank].first && record == records[rank].second) << rank;
        }
        EXPECT_TRUE(reader.is_finished());
        EXPECT_FALSE(reader.take(key, record));
        ASSERT_TRUE(reader.go_to(0));
      }
      if (!type.by_record) continue;
      const auto& [key, record] = records[units.first_ranks[u]];
      const Lookup found = reader.find(units.stored[u], units.first_ranks[u], key);
      EXPECT_EQ(found.outcome, Outcome::found);
      EXPECT_EQ(found.record, record);
      for (const std::string& other : {key + "k", key.substr(0, key.size() / 2), "k" + key}) {
        if (other == key) continue;
        const Outcome outcome = reader.find(units.stored[u], units.first_ranks[u], other).outcome;
        EXPECT_EQ(outcome, Outcome::absent) << other;
      }
    }
    EXPECT_EQ(rank, records.size());
  }
}

TEST(RecordEncoder, BlocksAreAsLongAsAsked) {
  const Records records = test::text_records(5000);
  for (const std::uint32_t block : {512U, 2048U, 16384U}) {
    const Units units(records, {.codec = CodecId::zstd, .block_bytes = block});
    EXPECT_EQ(units.section.block_bytes, block);
    EXPECT_GT(units.stored.size(), 5000U * 100 / block / 2);
  }
}

// What no unit becomes: another's bytes, another rank, any byte or length changed.
TEST(Unit, ADamagedOneDoesNotOpen) {
  const Records records = test::text_records(300);
  std::mt19937_64 random(15);
  for (const CodecType& type : codec_types()) {
    const Units units(records, {.codec = type.id});
    const auto codec = type.open(base::ByteView(units.section.dictionary));
    UnitReader reader(type, *codec, units.section.longest_raw);
    for (std::size_t u = 0; u < units.stored.size(); u += 7) {
      const base::Bytes& stored = units.stored[u];
      EXPECT_FALSE(reader.open(stored, units.first_ranks[u] + 1));
      for (int i = 0; i < 20; ++i) {
        base::Bytes damaged = stored;
        damaged[random() % damaged.size()] ^= static_cast<std::byte>(1 + random() % 255);
        EXPECT_FALSE(reader.open(damaged, units.first_ranks[u]));
        if (type.by_record) {
          const std::string& key = records[units.first_ranks[u]].first;
          EXPECT_EQ(reader.find(damaged, units.first_ranks[u], key).outcome, Outcome::damaged);
        }
        EXPECT_FALSE(reader.open(base::ByteView(stored).first(random() % stored.size()),
                                 units.first_ranks[u]));
      }
    }
  }
}

// One sample, three kinds of records.
TEST(CodecChoice, FollowsItsRule) {
  std::mt19937_64 random(16);
  const auto chosen = [](const Records& records, std::uint64_t expected) {
    return test::coding_of(records, {}, expected);
  };
  EXPECT_EQ(chosen({}, 0).codec, CodecId::none);
  EXPECT_EQ(chosen(test::random_records(2000, 500), 2000).codec, CodecId::none);
  // Few records are not worth a dictionary of 16-bit tokens, many like them may be.
  const RecordCoding few = chosen(test::text_records(5000), 5000);
  EXPECT_EQ(few.codec, CodecId::tokens12);
  std::vector<std::string> words(10'000);
  for (std::string& word : words) {
    word = " ";
    for (std::size_t size = 4 + random() % 9; word.size() < size;) {
      word += static_cast<char>('a' + random() % 26);
    }
  }
  Records texts;
  for (std::size_t i = 0; i < 15'000; ++i) {
    std::string text;
    for (int w = 0; w < 20; ++w) text += words[random() % words.size()];
    texts.emplace_back(test::numbered("", i), std::move(text));
  }
  EXPECT_EQ(chosen(texts, 100'000'000).codec, CodecId::tokens16);
}

}  // namespace
}  // namespace crivo::records
