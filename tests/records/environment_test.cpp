// SPDX-License-Identifier: Apache-2.0
// LMDB environments give back the records that they were written with, of any size and number.

#include "records/backends/lmdb/environment.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <thread>

#include "records/limits.hpp"
#include "store_fixture.hpp"

namespace crivo::records {
namespace {

using test::Records;
using namespace std::string_view_literals;

// Builds, opens, finds every record, and verifies.
void expect_round_trip(const Records& records, const CodecRequest& request = {}) {
  const test::TempDirectory directory;
  const FinishedEnvironment built =
      test::write_environment(directory.path(), records, 2, 0, request);
  const Environment environment(directory.path(), built.section, built.codec);
  EXPECT_EQ(environment.records(), records.size());
  EXPECT_EQ(environment.description().content_id, built.content_id);
  EXPECT_EQ(std::filesystem::file_size(directory.path() / "data.mdb"), built.file_size);
  EnvironmentReader reader(environment);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::size_t rank = (i * 7919) % records.size();
    const Lookup hit = reader.find(rank, records[rank].first);
    ASSERT_EQ(hit.outcome, Outcome::found) << rank;
    ASSERT_TRUE(hit.record == records[rank].second) << rank;
    EXPECT_EQ(reader.find(rank, records[rank].first + "?").outcome, Outcome::absent);
  }
  EXPECT_EQ(reader.find(records.size(), "").outcome, Outcome::absent);
  EXPECT_EQ(reader.find(~std::uint64_t{0}, "").outcome, Outcome::absent);
  base::Progress progress;
  std::uint64_t next = 0;
  environment.verify(progress,
                     [&](std::uint64_t rank, std::string_view key, std::string_view record) {
                       ASSERT_EQ(rank, next++);
                       ASSERT_TRUE(key == records[rank].first && record == records[rank].second);
                     });
  EXPECT_EQ(next, records.size());
  EXPECT_EQ(progress.done(), records.size());
}

class EnvironmentOf : public testing::TestWithParam<CodecId> {};

TEST_P(EnvironmentOf, RoundTripsAnyNumberOfRecords) {
  for (const std::size_t count : {0, 1, 2, 63, 64, 65, 1000, 20000}) {
    SCOPED_TRACE(count);
    expect_round_trip(test::text_records(count), test::codec(GetParam()));
  }
}

INSTANTIATE_TEST_SUITE_P(EveryCodec, EnvironmentOf,
                         testing::Values(CodecId::none, CodecId::tokens12, CodecId::tokens16,
                                         CodecId::zstd),
                         [](const auto& id) { return std::string(codec_type(id.param).name); });

TEST(Environment, RoundTripsRecordsThatDoNotCompress) {
  expect_round_trip(test::random_records(5000, 700));
}

TEST(Environment, RoundTripsTheLongestAndTheShortest) {
  std::mt19937_64 random(8);
  Records records = test::text_records(40);
  records[3].first = test::random_bytes(random, kMaxKeyBytes);
  records[10].second = test::random_bytes(random, 3 << 20);
  records[11].second = std::string(3 << 20, 'c');
  records[12] = {"", ""};
  records[13] = {std::string("\0\n", 2), std::string("\n\0", 2)};
  records[39] = {std::string(kMaxKeyBytes, 'k'), std::string(kMaxRecordBytes, 'r')};
  expect_round_trip(records, test::codec(CodecId::tokens12));
  expect_round_trip(records, test::codec(CodecId::zstd));
}

TEST(Environment, RoundTripsEveryLengthAroundABlockAndAGroup) {
  Records records;
  std::mt19937_64 random(9);
  for (std::size_t size = 2030; size < 2060; ++size) {
    records.emplace_back(test::numbered("k", size), test::random_bytes(random, size));
  }
  for (std::size_t size = 65480; size < 65540; ++size) {
    records.emplace_back(test::numbered("k", size), test::random_bytes(random, size));
  }
  expect_round_trip(records, test::codec(CodecId::none));
  expect_round_trip(records, test::codec(CodecId::zstd));
}

TEST(Environment, GroupsFillTheirPages) {
  const test::TempDirectory directory;
  const FinishedEnvironment built =
      test::write_environment(directory.path(), test::random_records(4000, 300));
  EXPECT_LT(static_cast<double>(built.file_size), 4000 * 300 * 1.16);
}

TEST(EnvironmentWriter, WritesTheSameBytesWithAnyNumberOfThreads) {
  const Records records = test::text_records(30000);
  const test::TempDirectory first;
  const FinishedEnvironment one = test::write_environment(first.path(), records, 1);
  EXPECT_FALSE(CodecSection::decode(one.codec).dictionary.empty());
  for (const unsigned threads : {1U, 2U, 3U}) {
    const test::TempDirectory second;
    const FinishedEnvironment more = test::write_environment(second.path(), records, threads);
    EXPECT_EQ(more.section, one.section);
    EXPECT_EQ(more.codec, one.codec);
    EXPECT_EQ(more.content_id, one.content_id);
    EXPECT_TRUE(test::file_bytes(first.path() / "data.mdb") ==
                test::file_bytes(second.path() / "data.mdb"));
  }
}

TEST(EnvironmentWriter, WritesTheSameBytesOverSeveralTransactions) {
  const Records records = test::random_records(24, 1 << 20);  // 24 MB: two
  const test::TempDirectory first;
  const test::TempDirectory second;
  const FinishedEnvironment one = test::write_environment(first.path(), records, 1);
  const FinishedEnvironment two = test::write_environment(second.path(), records, 2);
  EXPECT_EQ(one.section, two.section);
  EXPECT_TRUE(test::file_bytes(first.path() / "data.mdb") ==
              test::file_bytes(second.path() / "data.mdb"));
  const Environment environment(first.path(), one.section, one.codec);
  base::Progress progress;
  environment.verify(progress);
}

// The example of formats/store.md.
TEST(EnvironmentWriter, WritesWhatTheSpecificationShows) {
  const test::TempDirectory directory;
  const FinishedEnvironment built = test::write_environment(
      directory.path(), {{"k", "v"}, {"ab", ""}}, 1, 0, test::codec(CodecId::none));
  EXPECT_EQ(built.codec.size(), 32U);
  EXPECT_EQ(built.section.size(), 88U);
  const std::string file = test::file_bytes(directory.path() / "data.mdb");
  constexpr std::string_view kGroup =
      "\x02\x00\x02\x00\x07\x00\xde\x0d\xc9\x87\x02kv\xfe\x3b\xaf\xa5\x04"
      "ab"sv;
  constexpr std::string_view kIdentity =
      "CRIVOENV\x01\0\0\0\0\0\0\0\x9a\x6c\xcb\xa7\x72\xfd\xe9\xd6\xe6\x9b\x53\x7f\xe0\xff\x9f\xf4"
      "\x02\0\0\0\0\0\0\0"sv;
  EXPECT_NE(file.find(kGroup), std::string::npos);
  EXPECT_NE(file.find(kIdentity), std::string::npos);
}

TEST(EnvironmentWriter, ContentIdDependsOnRecordsAndSeed) {
  Records records = test::text_records(500);
  std::vector<ContentId> ids;
  const auto add_id = [&](std::uint64_t seed) {
    const test::TempDirectory directory;
    ids.push_back(test::write_environment(directory.path(), records, 1, seed).content_id);
  };
  add_id(0);
  add_id(1);
  records[200].second += "!";
  add_id(0);
  records.pop_back();
  add_id(0);
  std::ranges::sort(ids);
  EXPECT_EQ(std::ranges::adjacent_find(ids), ids.end());
}

TEST(EnvironmentWriter, LeavesOneFileAndNoLock) {
  const test::TempDirectory directory;
  const FinishedEnvironment built =
      test::write_environment(directory.path(), test::text_records(100));
  const Environment environment(directory.path(), built.section, built.codec);
  const EnvironmentReader reader(environment);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    names.push_back(entry.path().filename());
  }
  EXPECT_EQ(names, std::vector<std::string>{"data.mdb"});
}

TEST(RecordEncoder, RefusesWhatIsOverTheLimits) {
  RecordEncoder encoder({}, 1, [](std::span<const EncodedUnit>) {});
  const std::string long_key(kMaxKeyBytes + 1, 'k');
  EXPECT_EQ(test::error_of([&] { encoder.append({0, long_key, ""}); }).first, ErrorKind::bad_input);
}

TEST(Environment, IsReadByManyThreads) {
  const Records records = test::text_records(5000);
  const test::TempDirectory directory;
  const FinishedEnvironment built = test::write_environment(directory.path(), records, 2);
  const Environment environment(directory.path(), built.section, built.codec);
  std::vector<std::thread> threads;
  std::vector<std::size_t> found(3);
  for (std::size_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      EnvironmentReader reader(environment);
      for (std::size_t rank = t; rank < records.size(); rank += 2) {
        const Lookup hit = reader.find(rank, records[rank].first);
        found[t] += hit.outcome == Outcome::found && hit.record == records[rank].second ? 1U : 0U;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, (std::vector<std::size_t>{2500, 2500, 2499}));
}

TEST(Environment, VerifyVisitsTheSameRecordsWithAnyNumberOfThreads) {
  const Records records = test::text_records(40'000);  // several ranges that threads check
  const test::TempDirectory directory;
  const FinishedEnvironment built = test::write_environment(directory.path(), records, 2);
  const Environment environment(directory.path(), built.section, built.codec);
  for (const unsigned threads : {1U, 2U, 7U}) {
    base::Progress progress;
    std::vector<int> visits(records.size());
    environment.verify(
        progress,
        [&](std::uint64_t rank, std::string_view key, std::string_view record) {
          visits[rank] += key == records[rank].first && record == records[rank].second ? 1 : 100;
        },
        threads);
    EXPECT_EQ(std::ranges::count(visits, 1), static_cast<std::ptrdiff_t>(records.size()));
    EXPECT_EQ(progress.done(), records.size());
  }
}

TEST(Environment, FindsTheSameInAnyOrderOfRanks) {
  const Records records = test::text_records(3000);
  const test::TempDirectory directory;
  const FinishedEnvironment built = test::write_environment(directory.path(), records, 2);
  const Environment environment(directory.path(), built.section, built.codec);
  EnvironmentReader reader(environment);
  std::mt19937_64 random(3);
  std::uint64_t rank = 0;
  for (int i = 0; i < 30'000; ++i) {
    // Mostly near the last one: forward and back within its block, and over its ends.
    rank = i % 50 == 0 ? random() % records.size() : (rank + random() % 9 + 2996) % records.size();
    if (i % 7 == 0) {
      ASSERT_EQ(reader.find(rank, "another").outcome, Outcome::absent);
    }
    const Lookup hit = reader.find(rank, records[rank].first);
    ASSERT_EQ(hit.outcome, Outcome::found) << rank;
    ASSERT_TRUE(hit.record == records[rank].second) << rank;
  }
}

TEST(Environment, OpensInAReadOnlyDirectory) {
  const test::TempDirectory directory;
  const FinishedEnvironment built = test::write_environment(directory.path(), {{"key", "record"}});
  ASSERT_EQ(::chmod((directory.path() / "data.mdb").c_str(), 0444), 0);
  ASSERT_EQ(::chmod(directory.path().c_str(), 0555), 0);
  {
    const Environment environment(directory.path(), built.section, built.codec);
    EnvironmentReader reader(environment);
    EXPECT_EQ(reader.find(0, "key").record, "record");
  }
  ASSERT_EQ(::chmod(directory.path().c_str(), 0755), 0);
}

TEST(Environment, RefusesTheEnvironmentOfAnotherBuild) {
  const test::TempDirectory directory;
  const FinishedEnvironment built =
      test::write_environment(directory.path(), test::text_records(3000));
  for (const Records& others : {test::text_records(3000, 2), test::text_records(10), Records{}}) {
    const test::TempDirectory other;
    test::write_environment(other.path(), others);
    const auto [kind, message] =
        test::error_of([&] { Environment(other.path(), built.section, built.codec).records(); });
    EXPECT_EQ(kind, ErrorKind::corrupt);
    EXPECT_NE(message.find("different builds"), std::string::npos) << message;
  }
}

TEST(Environment, NeedsItsFile) {
  const test::TempDirectory directory;
  const FinishedEnvironment built = test::write_environment(directory.path(), {});
  const auto path = directory.path() / "data.mdb";
  std::filesystem::remove(path);
  const auto open = [&] { Environment(directory.path(), built.section, built.codec).records(); };
  EXPECT_EQ(test::error_of(open).first, ErrorKind::io);
  std::filesystem::create_directory(path);
  EXPECT_EQ(test::error_of(open).first, ErrorKind::io);
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(test::error_of(open).first, ErrorKind::io);
}

}  // namespace
}  // namespace crivo::records
