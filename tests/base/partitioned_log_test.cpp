#include "base/partitioned_log.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/bytes.hpp"
#include "bits/arithmetic.hpp"
#include "crivo/error.hpp"
#include "support/temp_directory.hpp"

namespace crivo::base {
namespace {

std::string text(const std::vector<std::byte>& bytes) {
  return std::string(base::as_text(bytes));
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
      EXPECT_EQ(text(log.read(p)), expected[p]);
      EXPECT_EQ(text(log.read(p)), expected[p]);  // reading takes nothing away
    }
    EXPECT_GT(log.temp_bytes(), 0U);
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));  // the file has no name
  }
}

TEST(PartitionedLog, TouchesNoDiskWhileItFitsInMemory) {
  PartitionedLog log("/nonexistent/directory", 3);
  log.append(1, {base::as_bytes("some"), base::as_bytes("thing")});
  EXPECT_EQ(log.temp_bytes(), 0U);
  EXPECT_EQ(text(log.read(1)), "something");
  EXPECT_TRUE(log.read(0).empty());
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
    const std::string bytes = text(log.read(p));
    ASSERT_EQ(bytes.size(), 3U * 750 * 10);
    std::vector<int> pieces(3);
    for (std::size_t at = 0; at < bytes.size(); at += 10) {
      ASSERT_EQ(bytes.substr(at, 10), std::string(10, bytes[at]));  // undivided
      ++pieces[static_cast<std::size_t>(bytes[at] - 'a')];
    }
    EXPECT_EQ(pieces, (std::vector<int>{750, 750, 750}));
  }
}

}  // namespace
}  // namespace crivo::base
