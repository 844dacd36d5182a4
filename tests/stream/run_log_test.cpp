// SPDX-License-Identifier: Apache-2.0
// What was added to each piece of a log comes back, from memory or from the disk.

#include "stream/run_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/arithmetic.hpp"
#include "base/bytes.hpp"
#include "crivo/error.hpp"
#include "support/errors.hpp"
#include "support/read_file.hpp"
#include "support/temp_directory.hpp"

namespace crivo::stream {
namespace {

constexpr unsigned kBits = 3;
constexpr std::uint64_t kPieces = std::uint64_t{1} << kBits;
constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;

/// Entries are texts that end with a LF.
void add(RunLog& log, unsigned writer, std::uint64_t number, const std::string& text) {
  const std::span<std::byte> room = log.add(writer, number, text.size() + 1);
  std::ranges::copy(base::as_bytes(text), room.begin());
  room.back() = static_cast<std::byte>('\n');
}

/// Those of some pieces, in order.
std::vector<std::string> texts(const RunLog& log, std::uint64_t begin, std::uint64_t end) {
  std::string all;
  for (std::size_t run = 0; run != log.runs(); ++run) {
    base::Bytes read;
    all += base::as_text(log.read(run, begin, end, [&](std::size_t bytes) {
      EXPECT_TRUE(read.empty());
      read.resize(bytes);
      return std::span(read);
    }));
  }
  std::vector<std::string> some;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t line = all.find('\n', at);
    some.push_back(all.substr(at, line - at));
    at = line + 1;
  }
  std::ranges::sort(some);
  return some;
}

/// What was added, by pieces.
class Expected {
 public:
  /// Adds entries of up to 700 bytes, and some of none.
  void add_some(RunLog& log, unsigned writer, std::uint64_t seed, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t number = base::mix64(seed + i);
      std::string text = std::to_string(number);
      text.resize(number % 5 == 0 ? 0 : number % 700, 'x');
      add(log, writer, number, text);
      pieces_[number >> (64 - kBits)].push_back(std::move(text));
    }
  }
  void compare(const RunLog& log) {
    std::vector<std::string> middle;
    for (std::uint64_t piece = 0; piece < kPieces; ++piece) {
      std::ranges::sort(pieces_[piece]);
      EXPECT_TRUE(texts(log, piece, piece + 1) == pieces_[piece]);
      if (piece >= 2 && piece < 5)
        middle.insert(middle.end(), pieces_[piece].begin(), pieces_[piece].end());
    }
    std::ranges::sort(middle);
    EXPECT_TRUE(texts(log, 2, 5) == middle);
  }

 private:
  std::vector<std::vector<std::string>> pieces_{kPieces};
};

TEST(RunLog, GivesWhatWasAddedToEachPiece) {
  const test::TempDirectory directory;
  for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{600'000}, kPlenty}) {
    RunLog log(directory.path(), kBits, 2, memory);
    Expected expected;
    for (std::uint64_t i = 0; i < 20; ++i) expected.add_some(log, i % 2, 1000 * i, 200);
    add(log, 0, 0, std::string(200'000, 'l'));  // longer than a run
    log.finish(2);
    EXPECT_EQ(log.temp_bytes() == 0, memory == kPlenty);
    const std::vector<std::string> first = texts(log, 0, 1);
    EXPECT_TRUE(std::ranges::find(first, std::string(200'000, 'l')) != first.end());
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));  // the file has no name
    if (memory != kPlenty) continue;
    Expected again;
    RunLog other(directory.path(), kBits, 1, memory);
    again.add_some(other, 0, 5, 4000);
    other.finish(1);
    again.compare(other);
  }
}

TEST(RunLog, KeepsPiecesApart) {
  const test::TempDirectory directory;
  for (const std::uint64_t memory : {std::uint64_t{0}, kPlenty}) {
    RunLog log(directory.path(), kBits, 1, memory);
    Expected expected;
    expected.add_some(log, 0, 3, 3000);
    log.finish(1);
    expected.compare(log);
    expected.compare(log);  // reading takes nothing away
  }
}

TEST(RunLog, OfNothingIsEmpty) {
  RunLog log("/nonexistent/directory", kBits, 3, 0);
  log.finish(3);
  EXPECT_TRUE(texts(log, 0, kPieces).empty());
}

TEST(RunLog, TouchesNoDiskWhileItFitsInMemory) {
  RunLog log("/nonexistent/directory", kBits, 1, kPlenty);
  Expected expected;
  expected.add_some(log, 0, 1, 5000);
  log.finish(1);
  EXPECT_EQ(log.temp_bytes(), 0U);
  expected.compare(log);
}

TEST(RunLog, TellsWhetherItSpills) {
  const test::TempDirectory directory;
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  constexpr std::uint64_t kEntry = 20;
  const std::string text(kEntry, 't');
  for (const unsigned writers : {1U, 2U}) {
    for (const std::uint64_t memory : {kMiB, 10 * kMiB, 30 * kMiB}) {
      // The most entries that stay in memory, and some more and less than these.
      std::uint64_t most = 0;
      for (std::uint64_t step = kMiB; step != 0; step /= 2) {
        const std::uint64_t more = most + step;
        if (RunLog::spilled_of(kEntry * more, more, writers, memory) == 0) most = more;
      }
      for (const std::uint64_t entries : {most - most / 50, most + most / 50}) {
        RunLog log(directory.path(), kBits, writers, memory);
        for (std::uint64_t i = 0; i != entries; ++i) {
          std::ranges::copy(base::as_bytes(text),
                            log.add(static_cast<unsigned>(i % writers), i << 50, kEntry).begin());
        }
        log.finish(writers);
        EXPECT_EQ(log.temp_bytes() == 0, entries < most) << writers << " " << memory << " " << most;
      }
    }
  }
}

TEST(RunLog, ReportsThatItCannotSpill) {
  RunLog log("/nonexistent/directory", kBits, 1, 0);
  Expected expected;
  const std::string message =
      test::error_of(ErrorKind::io, [&] { expected.add_some(log, 0, 1, 1000); });
  EXPECT_NE(message.find("/nonexistent/directory"), std::string::npos) << message;
}

TEST(RunLog, TakesEntriesFromSeveralThreads) {
  const test::TempDirectory directory;
  for (const std::uint64_t memory : {std::uint64_t{0}, kPlenty}) {
    RunLog log(directory.path(), kBits, 3, memory);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 3; ++t) {
      threads.emplace_back([&log, t] {
        for (std::uint64_t i = 0; i < 3000; ++i)
          add(log, t, base::mix64(i), std::string(100, static_cast<char>('a' + t)));
      });
    }
    for (std::thread& thread : threads) thread.join();
    log.finish(2);
    const std::vector<std::string> all = texts(log, 0, kPieces);
    ASSERT_EQ(all.size(), 9000U);
    for (std::size_t i = 0; i < all.size(); ++i)
      ASSERT_EQ(all[i], std::string(100, static_cast<char>('a' + i / 3000)));
  }
}

/// A log with a name, as one process after another has it.
class LastingLog : public ::testing::Test {
 protected:
  void write(const std::string& bytes) const { std::ofstream(name_, std::ios::binary) << bytes; }
  /// What goes on from `logged`, and reads all.
  std::vector<std::string> gone_on(const LoggedRuns& logged) const {
    RunLog log("/nonexistent", kBits, 1, kPlenty, name_);
    log.go_on_from(logged);
    log.finish(1);
    std::vector<std::string> all;
    for (std::uint64_t piece = 0; piece < kPieces; ++piece) {
      for (std::string& text : texts(log, piece, piece + 1)) all.push_back(std::move(text));
    }
    return all;
  }

  test::TempDirectory directory_;
  std::filesystem::path name_ = directory_.path() / "log";
};

TEST_F(LastingLog, GoesOnFromWhatWasLogged) {
  LoggedRuns logged;
  Expected expected;
  for (std::uint64_t process = 0; process < 3; ++process) {
    RunLog log("/nonexistent", kBits, 2, 0, name_);
    if (process != 0) log.go_on_from(logged);
    for (std::uint64_t part = 0; part < 2; ++part) {
      expected.add_some(log, part % 2, 1000 * process + 300 * part, 300);
      logged = log.log_all();
    }
    Expected killed = expected;
    if (process == 2) {
      log.finish(1);
      expected.compare(log);
    } else {
      killed.add_some(log, 0, 7, 1000);  // some of which are in the file
    }
  }
  LoggedRuns nothing;
  {
    RunLog empty("/nonexistent", kBits, 1, 0, directory_.path() / "empty");
    nothing = empty.log_all();
  }
  RunLog again("/nonexistent", kBits, 1, 0, directory_.path() / "empty");
  again.go_on_from(nothing);
  again.finish(1);
  EXPECT_TRUE(texts(again, 0, kPieces).empty());
}

TEST_F(LastingLog, RefusesEveryDamageByName) {
  LoggedRuns logged;
  Expected expected;
  const auto fill = [&](const std::filesystem::path& name) {
    RunLog log("/nonexistent", kBits, 1, 0, name);
    expected.add_some(log, 0, 1, 60);
    (void)log.log_all();
    expected.add_some(log, 0, 100, 5);  // most pieces of a run are empty
    return log.log_all();
  };
  logged = fill(name_);
  const std::vector<std::string> sound = gone_on(logged);
  const std::string bytes = test::text_of(name_);
  ASSERT_EQ(bytes.size(), logged.log_bytes);
  const auto refused = [&](const std::string& damaged) {
    write(damaged);
    const std::string message = test::error_of(ErrorKind::corrupt, [&] { (void)gone_on(logged); });
    EXPECT_NE(message.find(name_.string()), std::string::npos) << message;
  };
  const auto flipped = [&](std::size_t at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1 << at % 8);
    refused(damaged);
  };
  for (std::size_t at = 0; at < bytes.size(); at += 129 + at % 8) flipped(at);
  for (const LoggedRuns::Run& run : logged.runs) {  // all of the tables
    for (std::size_t i = 0; i < logged.table_bytes(); ++i) flipped(run.offset + run.bytes + i);
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, bytes.size() - 1}) {
    refused(bytes.substr(0, size));
  }
  write(bytes + "what was not logged");
  EXPECT_EQ(gone_on(logged), sound);
  // The log of another build, of the same lengths.
  ASSERT_EQ(fill(directory_.path() / "other").log_bytes, logged.log_bytes);
  refused(test::text_of(directory_.path() / "other"));
}

}  // namespace
}  // namespace crivo::stream
