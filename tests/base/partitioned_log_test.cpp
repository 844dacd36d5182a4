// SPDX-License-Identifier: Apache-2.0
#include "base/partitioned_log.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/bytes.hpp"
#include "bits/arithmetic.hpp"
#include "crivo/error.hpp"
#include "support/errors.hpp"
#include "support/read_file.hpp"
#include "support/temp_directory.hpp"

namespace crivo::base {
namespace {

/// All of a partition, `least_bytes` at a time.
std::string text(const PartitionedLog& log, std::size_t partition, std::size_t least_bytes = 50) {
  std::string all;
  std::vector<std::byte> bytes;
  for (std::size_t chunk = 0; log.read(partition, chunk, least_bytes, bytes); bytes.clear()) {
    all += base::as_text(bytes);
  }
  return all;
}

TEST(PartitionedLog, KeepsEachPartitionInOrder) {
  const test::TempDirectory directory;
  for (const std::size_t buffer : {std::size_t{1}, std::size_t{16}, std::size_t{1000}}) {
    PartitionedLog log(directory.path(), 7, buffer);
    std::vector<std::string> expected(7);
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const std::size_t partition = bits::mix64(i) % 7;
      const std::string head = std::to_string(i);
      const std::string body(bits::mix64(~i) % 40, static_cast<char>(i));
      log.append(partition, {base::as_bytes(head), base::as_bytes(body)});
      expected[partition] += head + body;
    }
    for (std::size_t p = 0; p < 7; ++p) {
      EXPECT_EQ(log.size(p), expected[p].size());
      EXPECT_EQ(text(log, p), expected[p]);
      EXPECT_EQ(text(log, p, SIZE_MAX), expected[p]);  // reading takes nothing away
    }
    EXPECT_GT(log.temp_bytes(), 0U);
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));  // the file has no name
  }
}

TEST(PartitionedLog, TouchesNoDiskWhileItFitsInMemory) {
  PartitionedLog log("/nonexistent/directory", 3, 1000);
  log.append(1, {base::as_bytes("some"), base::as_bytes("thing")});
  EXPECT_EQ(log.temp_bytes(), 0U);
  EXPECT_EQ(text(log, 1), "something");
  EXPECT_TRUE(text(log, 0).empty());
}

TEST(PartitionedLog, ReportsThatItCannotSpill) {
  PartitionedLog log("/nonexistent/directory", 3, 4);
  try {
    log.append(1, {base::as_bytes("something")});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_NE(std::string(error.what()).find("/nonexistent/directory"), std::string::npos);
  }
}

TEST(PartitionedLog, GivesWholeEntries) {
  const test::TempDirectory directory;
  for (const std::size_t buffer : {std::size_t{1}, std::size_t{30}, std::size_t{1000}}) {
    PartitionedLog log(directory.path(), 1, buffer);
    for (std::uint64_t i = 0; i < 500; ++i) {
      const std::string body(bits::mix64(i) % 60, 'x');
      const std::string_view end = ".";
      log.append(0, {base::as_bytes(body), base::as_bytes(end)});
    }
    std::vector<std::byte> bytes;
    for (std::size_t chunk = 0; log.read(0, chunk, 100, bytes); bytes.clear()) {
      EXPECT_EQ(base::as_text(bytes).back(), '.');
      EXPECT_LT(bytes.size(), 100 + std::max<std::size_t>(buffer, 61));
    }
  }
}

TEST(PartitionedLog, TakesAppendsFromSeveralThreads) {
  const test::TempDirectory directory;
  PartitionedLog log(directory.path(), 4, 64);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&log, t] {
      const std::string piece(10, static_cast<char>('a' + t));
      for (std::size_t i = 0; i < 3000; ++i) log.append(i % 4, {base::as_bytes(piece)});
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t p = 0; p < 4; ++p) {
    const std::string bytes = text(log, p);
    ASSERT_EQ(bytes.size(), 3U * 750 * 10);
    std::vector<int> pieces(3);
    for (std::size_t at = 0; at < bytes.size(); at += 10) {
      ASSERT_EQ(bytes.substr(at, 10), std::string(10, bytes[at]));  // undivided
      ++pieces[static_cast<std::size_t>(bytes[at] - 'a')];
    }
    EXPECT_EQ(pieces, (std::vector<int>{750, 750, 750}));
  }
}

/// A log with a name, as one process after another has it.
class LastingLog : public ::testing::Test {
 protected:
  static constexpr std::size_t kPartitions = 4;

  /// Appends 300 entries, the lengths of some over the buffer's.
  void append_some(PartitionedLog& log, std::uint64_t seed) {
    for (std::uint64_t i = 0; i < 300; ++i) {
      const std::string entry(1 + bits::mix64(seed + i) % 70, static_cast<char>('a' + i % 26));
      const std::size_t partition = bits::mix64(~seed - i) % kPartitions;
      log.append(partition, {base::as_bytes("<"), base::as_bytes(entry), base::as_bytes(">")});
      expected_[partition] += "<" + entry + ">";
    }
  }
  void expect_all(const PartitionedLog& log) {
    for (std::size_t p = 0; p < kPartitions; ++p) {
      EXPECT_EQ(log.size(p), expected_[p].size());
      EXPECT_EQ(text(log, p), expected_[p]);
    }
  }
  void write(const std::string& bytes) const { std::ofstream(name_, std::ios::binary) << bytes; }
  /// What goes on from `logged`, and reads all: the text of all partitions.
  std::string gone_on(const LoggedPartitions& logged) const {
    PartitionedLog log("/nonexistent", kPartitions, 50, name_);
    log.go_on_from(logged);
    std::string all;
    for (std::size_t p = 0; p < kPartitions; ++p) all += text(log, p);
    return all;
  }

  test::TempDirectory directory_;
  std::filesystem::path name_ = directory_.path() / "log";
  std::vector<std::string> expected_ = std::vector<std::string>(kPartitions);
};

TEST_F(LastingLog, GoesOnFromWhatWasLogged) {
  LoggedPartitions logged;
  for (std::uint64_t process = 0; process < 3; ++process) {
    PartitionedLog log("/nonexistent", kPartitions, 50, name_);
    if (process != 0) log.go_on_from(logged);
    expect_all(log);
    for (std::uint64_t part = 0; part < 2; ++part) {
      append_some(log, 1000 * process + 300 * part);
      logged = log.log_all();
      expect_all(log);
    }
    EXPECT_EQ(logged.lists.size(), 2 * (process + 1));
    const std::vector<std::string> kept = expected_;
    append_some(log, 7);  // and is killed
    expect_all(log);
    expected_ = kept;
  }
  LoggedPartitions nothing;
  {
    PartitionedLog empty("/nonexistent", kPartitions, 50, directory_.path() / "empty");
    nothing = empty.log_all();
  }
  PartitionedLog again("/nonexistent", kPartitions, 50, directory_.path() / "empty");
  again.go_on_from(nothing);
  EXPECT_TRUE(text(again, 0).empty());
}

TEST_F(LastingLog, RefusesEveryDamageByName) {
  LoggedPartitions logged;
  {
    PartitionedLog log("/nonexistent", kPartitions, 50, name_);
    append_some(log, 1);
    logged = log.log_all();
  }
  const std::string sound = gone_on(logged);
  const std::string bytes = test::text_of(name_);
  ASSERT_EQ(bytes.size(), logged.log_bytes);
  const auto refused = [&](const std::string& damaged) {
    write(damaged);
    const std::string message = test::error_of(ErrorKind::corrupt, [&] { (void)gone_on(logged); });
    EXPECT_NE(message.find(name_.string()), std::string::npos) << message;
  };
  for (std::size_t at = 0; at < bytes.size(); at += 29 + at % 8) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1 << at % 8);
    refused(damaged);
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, bytes.size() - 1}) {
    refused(bytes.substr(0, size));
  }
  write(bytes + "what was not logged");
  EXPECT_EQ(gone_on(logged), sound);
  // The log of another build, of the same lengths.
  {
    PartitionedLog log("/nonexistent", kPartitions, 50, directory_.path() / "other");
    append_some(log, 1);
    ASSERT_EQ(log.log_all().log_bytes, logged.log_bytes);
  }
  refused(test::text_of(directory_.path() / "other"));
}

}  // namespace
}  // namespace crivo::base
