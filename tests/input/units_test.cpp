// SPDX-License-Identifier: Apache-2.0
// Lines, records and pairs are cut as each framing says, and faults name their line.

#include "input/units.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <random>
#include <utility>

#include "input/called_taker.hpp"
#include "input/count_keys.hpp"
#include "input/input_files.hpp"

namespace crivo::input {
namespace {

struct Pair {
  std::string key;
  std::string record;
  std::uint64_t index;
  std::size_t offset;

  friend bool operator==(const Pair&, const Pair&) = default;
};

Chunk chunk_of(std::string_view bytes) {
  Chunk chunk;
  chunk.start = {2, 1000, 50};
  chunk.storage.assign(bytes.begin(), bytes.end());
  chunk.bytes = chunk.storage;
  return chunk;
}

std::vector<Pair> pairs_of(std::string_view bytes, const KeyFormat& format) {
  std::vector<Pair> pairs;
  for_each_record(
      chunk_of(bytes), format,
      [&](std::string_view key, std::string_view record, std::uint64_t index, std::size_t offset) {
        pairs.push_back({std::string(key), std::string(record), index, offset});
      });
  return pairs;
}

const KeyFormat kLinePairs{};
const KeyFormat kNullPairs{.framing = KeyFormat::Framing::null};

/// The problem and the line and offset of the fault that parsing meets.
void expect_fault(std::string_view bytes, const KeyFormat& format, const std::string& problem,
                  std::uint64_t line, std::uint64_t offset) {
  try {
    pairs_of(bytes, format);
    ADD_FAILURE() << "no fault";
  } catch (const InputFault& fault) {
    EXPECT_EQ(std::string(fault.what()).rfind(problem, 0), 0U) << fault.what();
    EXPECT_EQ(fault.place().file, 2U);
    EXPECT_EQ(fault.place().line, line);
    EXPECT_EQ(fault.place().offset, offset);
  }
}

TEST(Units, RecordsAreAllAfterTheFirstTab) {
  EXPECT_EQ(pairs_of("a\t1\nb\t\nc\t2\t3\t\nd\t4", kLinePairs),
            (std::vector<Pair>{
                {"a", "1", 0, 0}, {"b", "", 1, 4}, {"c", "2\t3\t", 2, 7}, {"d", "4", 3, 14}}));
}

TEST(Units, RecordsLoseTheCrOfTheirLineWhereAsked) {
  KeyFormat format = kLinePairs;
  EXPECT_EQ(pairs_of("a\t1\r\n", format)[0].record, "1\r");
  format.strip_cr = true;
  EXPECT_EQ(pairs_of("a\t1\r\n", format)[0].record, "1");
}

TEST(Units, NulPairsHoldAnyOtherBytes) {
  const std::string bytes("a\n\t\0r\n\t\0b\0\0c\0last", 17);
  EXPECT_EQ(pairs_of(bytes, kNullPairs),
            (std::vector<Pair>{{"a\n\t", "r\n\t", 0, 0}, {"b", "", 1, 8}, {"c", "last", 2, 11}}));
}

TEST(Units, Faults) {
  expect_fault("a\t1\nno tab\nc\t3\n", kLinePairs, "no TAB between the key and its record", 51,
               1004);
  expect_fault("a\t1\n\nc\t3\n", kLinePairs, "no TAB between the key and its record", 51, 1004);
  expect_fault("a\t1\nb\t2\n\t3\n", kLinePairs,
               "the key is empty; remove the line, or allow empty keys", 52, 1008);
  expect_fault(std::string("a\0001\0b", 5), kNullPairs, "the last key has no record", 51, 1004);
  expect_fault(std::string("\0x\0", 3), kNullPairs,
               "the key is empty; remove the line, or allow empty keys", 50, 1000);
  const std::string long_key(kMaxKeyBytes + 1, 'k');
  expect_fault("a\t1\n" + long_key + "\tr\n", kLinePairs,
               "the key is longer than the limit of 1048576", 51, 1004);
  expect_fault("a\t" + std::string(kMaxRecordBytes + 1, 'r') + "\n", kLinePairs,
               "the record is longer than the limit of 67108864", 50, 1000);
}

TEST(Units, RecordsAndKeysOfTheGreatestLength) {
  const std::string key(kMaxKeyBytes, 'k');
  const std::string record(kMaxRecordBytes, 'r');
  const std::vector<Pair> pairs = pairs_of(key + "\t" + record + "\n", kLinePairs);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_TRUE(pairs[0].key == key && pairs[0].record == record);
}

TEST(Units, EmptyKeysWhereAllowed) {
  KeyFormat format = kLinePairs;
  format.allow_empty = true;
  EXPECT_EQ(pairs_of("\tr\n", format), (std::vector<Pair>{{"", "r", 0, 0}}));
  std::size_t keys = 0;
  for_each_key(chunk_of("\n\n\n"), format,
               [&](std::string_view, std::uint64_t, std::size_t) { ++keys; });
  EXPECT_EQ(keys, 3U);
  EXPECT_THROW(for_each_key(chunk_of("a\n\n"), kLinePairs,
                            [](std::string_view, std::uint64_t, std::size_t) {}),
               InputFault);
}

/// Pairs through the whole pipeline, in lines and with NUL, on several threads: each is taken once,
/// with its place in the order.
TEST(Units, PairsThroughThePipeline) {
  const InputFiles files;
  std::mt19937_64 random(3);
  std::vector<std::pair<std::string, std::string>> expected;
  std::string lines;
  std::string nul;
  for (int i = 0; i < 30'000; ++i) {
    expected.emplace_back("key" + std::to_string(i), std::string(random() % 150, 'r'));
    lines += expected.back().first + "\t" + expected.back().second + "\n";
    nul += expected.back().first + '\0' + expected.back().second + '\0';
  }
  const std::string half = nul.substr(0, nul.size() - 1);  // the last NUL may be missing
  const Strings paths{files.write("lines", lines), files.write("nul", nul),
                      files.write("open", half)};
  for (const std::string& path : paths) {
    const KeyFormat format = path == paths[0] ? kLinePairs : kNullPairs;
    for (const unsigned threads : {1U, 3U}) {
      std::mutex mutex;
      std::map<std::uint64_t, std::pair<std::string, std::string>> in_order;
      Progress progress;
      CalledTaker taker(
          [&](Hash128 hash, std::uint64_t order, std::string_view key, std::string_view record) {
            ASSERT_EQ(hash, hash_key(key, 0));
            const std::scoped_lock lock(mutex);
            ASSERT_TRUE(in_order.try_emplace(order, key, record).second);
          });
      const HashedKeys hashed = hashed_by([&](const UseKeys& use) {
        hash_records({{path}, format}, {.temp_dir = "/tmp"}, taker, {threads, progress}, use);
      });
      EXPECT_EQ(hashed.collected, expected.size());
      std::vector<std::pair<std::string, std::string>> taken;
      for (auto& [order, pair] : in_order) taken.push_back(std::move(pair));
      EXPECT_TRUE(taken == expected);
    }
  }
}

TEST(Units, FaultsOfPairsNameTheirLine) {
  const InputFiles files;
  std::string lines;
  for (int i = 0; i < 100'000; ++i) lines += std::to_string(i) + "\trecord of it\n";
  const std::string path = files.write("lines", lines + "no tab\n" + lines);
  const auto read = [&](unsigned threads) {
    Progress progress;
    CalledTaker taker([](Hash128, std::uint64_t, std::string_view, std::string_view) {});
    hash_records({{path}, kLinePairs}, {.temp_dir = "/tmp"}, taker, {threads, progress},
                 [](const KeySet&) {});
  };
  for (const unsigned threads : {1U, 2U, 3U}) {
    EXPECT_EQ(error_of(ErrorKind::bad_input, [&] { read(threads); })
                  .rfind(path + ":100001: no TAB between", 0),
              0U);
  }
}

TEST(Units, CountsAndKeepsSome) {
  const InputFiles files;
  Progress progress;
  KeptUnits some;
  const KeyCount keys =
      count_keys({{files.write("keys", "a\nbb\nccc")}, kLinePairs}, {2, progress}, &some);
  EXPECT_EQ(keys.keys, 3U);
  EXPECT_EQ(keys.bytes, 6U);
  EXPECT_EQ(some.sorted().size(), 3U);
  KeptUnits others;
  const KeyCount pairs =
      count_records({{files.write("pairs", "a\t1\nbb\t22\n")}, kLinePairs}, {2, progress}, &others);
  EXPECT_EQ(pairs.keys, 2U);
  EXPECT_EQ(pairs.bytes, 6U);
  std::vector<std::string> records;
  for (const KeptUnits::Unit& unit : others.sorted())
    records.push_back(std::string(unit.key).append(unit.record));
  std::ranges::sort(records);
  EXPECT_EQ(records, (std::vector<std::string>{"a1", "bb22"}));
}

TEST(Units, KeptTextsLieInTheOrderOfTheUnits) {
  KeptUnits kept(1000, 8);
  EXPECT_EQ(kept.wanted(1000), 1000U);
  for (int i = 0; i < 1000; ++i) kept.add("key " + std::to_string(i), "record", 7);
  const std::vector<KeptUnits::Unit> units = kept.sorted();
  ASSERT_EQ(units.size(), 1000U);
  const char* end = units.front().key.data();
  for (const KeptUnits::Unit& unit : units) {
    EXPECT_EQ(unit.key.data(), end);
    EXPECT_EQ(unit.record.data(), unit.key.data() + unit.key.size());
    EXPECT_EQ(unit.record, "record");
    EXPECT_EQ(unit.value, 7U);
    end = unit.record.data() + unit.record.size();
  }
}

TEST(Units, OfManyUnitsSomeAreWanted) {
  const KeptUnits few(10'000'000, 100);
  EXPECT_LT(few.wanted(10'000'000), 10'000'000U / 16);
  EXPECT_GT(few.wanted(10'000'000), 10'000'000U / 256);
}

}  // namespace
}  // namespace crivo::input
