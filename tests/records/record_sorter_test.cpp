// SPDX-License-Identifier: Apache-2.0
#include "records/record_sorter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <thread>

#include "records/limits.hpp"
#include "store_fixture.hpp"
#include "support/hashes.hpp"

namespace crivo::records {
namespace {

using test::Records;

constexpr std::uint64_t kMemory = std::uint64_t{64} << 20;

// A bijection of hashes to ranks: hash order, but that some are displaced.
class TestRanks {
 public:
  TestRanks(std::vector<Hash128> hashes, double displaced) {
    std::ranges::sort(hashes);
    std::vector<std::uint64_t> ranks(hashes.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    std::mt19937_64 random(3);
    const auto swaps = static_cast<std::size_t>(displaced * static_cast<double>(ranks.size()));
    for (std::size_t i = 0; i < swaps; ++i) {
      std::swap(ranks[random() % ranks.size()], ranks[random() % ranks.size()]);
    }
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      ranks_[hashes[i]] = ranks[i];
    }
  }

  std::uint64_t operator[](Hash128 hash) const { return ranks_.at(hash); }
  std::uint64_t size() const { return ranks_.size(); }
  RecordSorter::Ranks function() const {
    return [this](std::span<const Hash128> hashes, std::uint64_t* ranks) {
      for (const Hash128 hash : hashes) *ranks++ = ranks_.at(hash);
    };
  }

 private:
  std::map<Hash128, std::uint64_t> ranks_;
};

Records emitted(RecordSorter& sorter, const TestRanks& ranks) {
  Records out;
  base::Progress progress;
  sorter.emit(
      ranks.size(), ranks.function(),
      [&](Hash128, std::string_view key, std::string_view record) {
        out.emplace_back(key, record);
      },
      progress);
  EXPECT_EQ(progress.done(), progress.total());
  return out;
}

TEST(RecordSorter, EmitsInRankOrder) {
  const test::TempDirectory directory;
  for (const std::size_t count : {0, 1, 2, 255, 1000, 20000}) {
    for (const double displaced : {0.0, 0.02, 2.0}) {
      const Records records = test::text_records(count);
      const std::vector<Hash128> hashes = test::random_hashes(count);
      const TestRanks ranks(hashes, displaced);
      Records expected(count);
      RecordSorter sorter(directory.path(), Duplicates::refuse, kMemory);
      for (std::size_t i = 0; i < count; ++i) {
        sorter.add(hashes[i], i, records[i].first, records[i].second);
        expected[ranks[hashes[i]]] = records[i];
      }
      EXPECT_EQ(emitted(sorter, ranks), expected);
    }
  }
}

TEST(RecordSorter, SpillsWhatDoesNotFitInMemory) {
  const test::TempDirectory directory;
  const Records records = test::random_records(20000, 1500);
  const std::vector<Hash128> hashes = test::random_hashes(records.size());
  const TestRanks ranks(hashes, 0.02);
  RecordSorter sorter(directory.path(), Duplicates::refuse, kMemory);
  Records expected(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    sorter.add(hashes[i], i, records[i].first, records[i].second);
    expected[ranks[hashes[i]]] = records[i];
  }
  EXPECT_GT(sorter.temp_bytes(), 10'000'000U);
  EXPECT_TRUE(emitted(sorter, ranks) == expected);
}

/// Partitions that are too large to be arranged at once: of some, four long records; then, all
/// hashes are of two.
TEST(RecordSorter, ArrangesLargePartitionsInRanges) {
  const test::TempDirectory directory;
  for (const bool few : {false, true}) {
    Records records = test::random_records(4096, 1500);
    std::vector<Hash128> hashes = test::random_hashes(records.size());
    std::ranges::sort(hashes);
    for (std::size_t i = 0; i < 40; ++i) records[i].second.resize(700'000 + i, 'x');
    for (Hash128& hash : hashes) {
      if (few) hash.hi = hash.hi >> 20 | std::uint64_t{1} << (62 + hash.lo % 2);
    }
    const TestRanks ranks(hashes, 0.02);
    RecordSorter sorter(directory.path(), Duplicates::refuse, 0);
    Records expected(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      sorter.add(hashes[i], i, records[i].first, records[i].second);
      expected[ranks[hashes[i]]] = records[i];
    }
    EXPECT_TRUE(emitted(sorter, ranks) == expected);
  }
}

TEST(RecordSorter, TakesRecordsFromSeveralThreads) {
  const test::TempDirectory directory;
  const Records records = test::text_records(9000);
  const std::vector<Hash128> hashes = test::random_hashes(records.size());
  const TestRanks ranks(hashes, 0.02);
  RecordSorter sorter(directory.path(), Duplicates::refuse, kMemory);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < records.size(); i += 3) {
        sorter.add(hashes[i], i, records[i].first, records[i].second);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Records out = emitted(sorter, ranks);
  for (std::size_t i = 0; i < records.size(); ++i) ASSERT_EQ(out[ranks[hashes[i]]], records[i]);
}

TEST(RecordSorter, KeepsTheFirstOfDuplicatesWhateverTheOrder) {
  const test::TempDirectory directory;
  const std::vector<Hash128> hashes = test::random_hashes(3000);
  const TestRanks ranks(hashes, 0.5);
  std::vector<std::uint64_t> order(9000);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::shuffle(order, std::mt19937_64(4));
  RecordSorter sorter(directory.path(), Duplicates::keep_first, kMemory);
  for (const std::uint64_t sequence : order) {
    const std::string key = test::numbered("key", sequence % 3000);
    sorter.add(hashes[sequence % 3000], sequence, key, std::to_string(sequence));
  }
  const Records out = emitted(sorter, ranks);
  ASSERT_EQ(out.size(), 3000U);
  for (std::uint64_t i = 0; i < 3000; ++i) {
    EXPECT_EQ(out[ranks[hashes[i]]], (test::Record{test::numbered("key", i), std::to_string(i)}));
  }
}

TEST(RecordSorter, RefusesTwoRecordsOfOneRank) {
  const test::TempDirectory directory;
  const std::vector<Hash128> hashes = test::random_hashes(10);
  const TestRanks ranks(hashes, 0);
  RecordSorter sorter(directory.path(), Duplicates::refuse, kMemory);
  for (std::uint64_t i = 0; i < 11; ++i) sorter.add(hashes[i % 10], i, "k", "r");
  const auto [kind, message] = test::error_of([&] { emitted(sorter, ranks); });
  EXPECT_EQ(kind, ErrorKind::bad_input);
  EXPECT_NE(message.find("records 0 and 10"), std::string::npos) << message;
}

TEST(RecordSorter, RefusesDifferentHashesOfOneRankEvenIfDuplicatesAreIgnored) {
  const test::TempDirectory directory;
  RecordSorter sorter(directory.path(), Duplicates::keep_first, kMemory);
  sorter.add({1, 1}, 0, "a", "");
  sorter.add({1, 2}, 1, "b", "");
  base::Progress progress;
  const auto zero = [](std::span<const Hash128> hashes, std::uint64_t* ranks) {
    std::fill_n(ranks, hashes.size(), 0);
  };
  const auto ignore = [](Hash128, std::string_view, std::string_view) {};
  EXPECT_EQ(test::error_of([&] { sorter.emit(2, zero, ignore, progress); }).first,
            ErrorKind::bad_input);
}

TEST(RecordSorter, RefusesAMissingRankAndARankOutOfRange) {
  const test::TempDirectory directory;
  RecordSorter sorter(directory.path(), Duplicates::refuse, kMemory);
  sorter.add({1, 1}, 0, "a", "");
  base::Progress progress;
  const auto ignore = [](Hash128, std::string_view, std::string_view) {};
  for (const std::uint64_t rank : {1, 7}) {
    const auto fixed = [&](std::span<const Hash128> hashes, std::uint64_t* ranks) {
      std::fill_n(ranks, hashes.size(), rank);
    };
    EXPECT_EQ(test::error_of([&] { sorter.emit(2, fixed, ignore, progress); }).first,
              ErrorKind::bad_input);
  }
}

TEST(RecordSorter, RefusesWhatIsOverTheLimits) {
  const test::TempDirectory directory;
  RecordSorter sorter(directory.path(), Duplicates::refuse, kMemory);
  sorter.add({1, 1}, 0, std::string(kMaxKeyBytes, 'k'), "");
  const std::string long_key(kMaxKeyBytes + 1, 'k');
  const auto key_error = test::error_of([&] { sorter.add({1, 2}, 1, long_key, ""); });
  EXPECT_EQ(key_error.first, ErrorKind::bad_input);
  EXPECT_NE(key_error.second.find("1 MiB"), std::string::npos);
  const std::string long_record(kMaxRecordBytes + 1, 'r');
  const auto record_error = test::error_of([&] { sorter.add({1, 2}, 1, "k", long_record); });
  EXPECT_EQ(record_error.first, ErrorKind::bad_input);
  EXPECT_NE(record_error.second.find("64 MiB"), std::string::npos);
}

}  // namespace
}  // namespace crivo::records
