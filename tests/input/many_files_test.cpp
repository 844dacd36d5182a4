// SPDX-License-Identifier: Apache-2.0
// Input from many files at once, some compressed: what is read is what one file after the other
// would give.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <random>

#include "input/chunk_numbers.hpp"
#include "input/for_each_chunk.hpp"
#include "input/input_files.hpp"
#include "support/compressed.hpp"

namespace crivo::input {
namespace {

constexpr std::size_t kFiles = 9;

/// The lines of a file: some chunks, and in one file none.
std::string lines_of(std::size_t file) {
  std::mt19937_64 random(file);
  std::string bytes;
  for (std::size_t i = 0; i < (file == 4 ? 0 : 15'000 * (file % 3 + 1)); ++i) {
    bytes += std::to_string(random()) + "-" + std::to_string(file) + "\n";
  }
  return bytes;
}

/// `bytes` as the files of a set are, each in its own way.
std::string packed(std::size_t file, const std::string& bytes) {
  switch (file % 4) {
    case 0:
      return test::gzip(bytes, 1);
    case 1:
      return test::zstd(bytes);
    case 2:
      return bytes;
    default:
      return test::bzip2(bytes);
  }
}

std::string name_of(std::size_t file) {
  return "part-" + std::to_string(file);
}

HashedKeys numbered(const Strings& paths, unsigned threads) {
  Progress progress;
  return hashed_by([&](const UseKeys& use) {
    hash_numbered_keys({paths, {}}, {.temp_dir = "/tmp"}, {threads, progress}, use);
  });
}

void expect_same_keys(const HashedKeys& read, const HashedKeys& expected) {
  EXPECT_EQ(read.collected, expected.collected);
  const stream::KeySlice keys = read.hashes.all();
  EXPECT_TRUE(std::ranges::equal(keys.hashes, expected.hashes.all().hashes));
  EXPECT_TRUE(std::ranges::equal(keys.values, expected.hashes.all().values));
}

TEST(ManyFiles, SameHashesAndLineNumbersAsOneAfterTheOther) {
  const InputFiles files;
  Strings paths;
  std::string all;
  for (std::size_t f = 0; f < kFiles; ++f) {
    all += lines_of(f);
    paths.push_back(files.write(name_of(f), packed(f, lines_of(f))));
  }
  const HashedKeys expected = numbered({files.write("all", all)}, 1);
  ASSERT_EQ(expected.hashes.size(), expected.collected);
  for (const unsigned threads : {1U, 2U, 5U}) expect_same_keys(numbered(paths, threads), expected);
}

TEST(ManyFiles, OfEqualKeysTheFirstInTheOrderOfTheInputStays) {
  const InputFiles files;
  Strings paths;
  std::string all;
  for (std::size_t f = 0; f < kFiles; ++f) {
    // At the end of the first file, which is read last, and at the front of all others.
    std::string bytes = f == 0 ? "" : "again\t" + std::to_string(f) + "\n";
    const std::string keys = lines_of(f);
    for (const Unit& unit : split(keys, '\n')) bytes += unit.key + "\t7\n";
    if (f == 0) bytes += "again\t1000\n";
    all += bytes;
    paths.push_back(files.write(name_of(f), packed(f, bytes)));
  }
  const auto read = [&](const Strings& some, unsigned threads) {
    Progress progress;
    return hashed_by([&](const UseKeys& use) {
      hash_values({some, {}}, {}, 64, {.duplicates = DuplicatePolicy::ignore, .temp_dir = "/tmp"},
                  {threads, progress}, use);
    });
  };
  const HashedKeys expected = read({files.write("all", all)}, 1);
  ASSERT_EQ(expected.collected - expected.hashes.size(), kFiles - 1);
  for (const unsigned threads : {1U, 2U, 5U}) expect_same_keys(read(paths, threads), expected);
}

/// The files in `bytes`, packed, with the fault of the one that comes first.
void expect_first_fault(const Strings& bytes, const std::function<void(Strings&)>& damage,
                        std::size_t file, const std::string& message) {
  const InputFiles files;
  Strings encoded;
  for (std::size_t f = 0; f < bytes.size(); ++f) encoded.push_back(packed(f, bytes[f]));
  damage(encoded);
  Strings paths;
  for (std::size_t f = 0; f < bytes.size(); ++f) {
    paths.push_back(files.write(name_of(f), encoded[f]));
  }
  for (int i = 0; i < 10; ++i) {
    const std::string error = error_of(ErrorKind::bad_input, [&] { hash(paths, 4); });
    EXPECT_TRUE(error.starts_with(paths[file] + message)) << error;
  }
}

TEST(ManyFiles, TheFirstFaultOfTheInputIsNamedOnThreads) {
  Strings bytes;
  for (std::size_t f = 0; f < kFiles; ++f) bytes.push_back(lines_of(f));
  const auto nothing = [](Strings&) {};
  const auto count = std::ranges::count(bytes[1], '\n');
  bytes[1] += "\n";
  for (std::size_t f = 2; f < kFiles; ++f) bytes[f] = "\n" + bytes[f];
  const std::string empty_line = ":" + std::to_string(count + 1) + ": ";
  expect_first_fault(bytes, nothing, 1, empty_line);
  // Those behind it are damaged: nobody hears of it.
  expect_first_fault(
      bytes, [](Strings& encoded) { encoded[5].resize(encoded[5].size() / 8); }, 1, empty_line);
  // One before it is: that comes first.
  expect_first_fault(
      bytes, [](Strings& encoded) { encoded[0].resize(encoded[0].size() - 9); }, 0,
      ": the gzip data is cut short");
}

TEST(ManyFiles, AFileThatCannotBeOpenedIsNamedWhenThoseBeforeItWereRead) {
  const InputFiles files;
  const std::string none = files.path() / "none";
  const Strings sound{files.write("1", test::gzip(lines_of(1))), none};
  const Strings faulty{files.write("2", test::gzip(lines_of(1) + "\n")), none};
  const auto count = [](const Strings& paths) {
    ChunkReader reader(paths, UnitFraming::of_keys({}), {});
    Progress progress;
    for_each_chunk(reader, paths, UnitFraming::of_keys({}), {4, progress},
                   [](unsigned, const Chunk& chunk) {
                     for_each_key(chunk, {}, [](std::string_view, std::uint64_t, std::size_t) {});
                   });
  };
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(error_of(ErrorKind::io, [&] { count(sound); }).starts_with(none));
    EXPECT_TRUE(error_of(ErrorKind::bad_input, [&] { count(faulty); }).starts_with(faulty[0]));
  }
}

/// Whoever feeds two pipes may do it one after the other.
TEST(ManyFiles, APipeIsNotOpenedBeforeAnotherIsRead) {
  const InputFiles files;
  const Strings paths{files.write("file", test::gzip(lines_of(1))), files.path() / "pipe-1",
                      files.path() / "pipe-2", files.write("last", test::gzip(lines_of(2)))};
  ASSERT_EQ(::mkfifo(paths[1].c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(paths[2].c_str(), 0600), 0);
  std::thread feeder([&] {
    for (const std::size_t f : {1U, 2U}) {
      const int fd = ::open(paths[f].c_str(), O_WRONLY);
      const std::string bytes = lines_of(f + 4);
      EXPECT_EQ(::write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
      ::close(fd);
    }
  });
  ChunkReader reader(paths, UnitFraming::of_keys({}), {});
  std::atomic<std::uint64_t> units{0};
  Progress progress;
  for_each_chunk(
      reader, paths, UnitFraming::of_keys({}), {4, progress}, [&](unsigned, const Chunk& chunk) {
        for_each_key(chunk, {}, [&](std::string_view, std::uint64_t, std::size_t) { ++units; });
      });
  feeder.join();
  const std::string all = lines_of(1) + lines_of(5) + lines_of(6) + lines_of(2);
  EXPECT_EQ(units, static_cast<std::uint64_t>(std::ranges::count(all, '\n')));
}

TEST(ManyFiles, ReadBytesAreCounted) {
  const InputFiles files;
  Strings paths;
  std::uint64_t bytes = 0;
  for (std::size_t f = 0; f < kFiles; ++f) {
    const std::string encoded = packed(f, lines_of(f));
    bytes += encoded.size();
    paths.push_back(files.write(name_of(f), encoded));
  }
  ChunkReader reader(paths, UnitFraming::of_keys({}), {});
  Progress progress;
  for_each_chunk(reader, paths, UnitFraming::of_keys({}), {3, progress},
                 [](unsigned, const Chunk&) {});
  EXPECT_EQ(reader.consumed(), bytes);
}

TEST(ChunkNumbers, PlacesAscendWithTheInput) {
  ChunkNumbers numbers(3);
  std::vector<std::uint64_t> places;
  const auto note = [&](std::size_t file, std::uint64_t sequence, std::uint64_t units) {
    Chunk chunk;
    chunk.start.file = file;
    chunk.sequence = sequence;
    numbers.note(chunk, units);
    for (std::uint64_t i = 0; i < units; ++i) places.push_back(numbers.place(chunk) + i);
  };
  note(2, 1, 2);  // in any order, with gaps
  note(0, 0, 3);
  note(0, 5, 1);
  note(2, 0, 4);
  numbers.finish();
  std::ranges::sort(places);
  numbers.number(places);
  for (std::uint64_t i = 0; i < places.size(); ++i) EXPECT_EQ(places[i], i);
}

TEST(ChunkNumbers, AFileOfTooManyChunksIsRefused) {
  const ChunkNumbers numbers(std::size_t{1} << 20);
  Chunk chunk;
  chunk.sequence = (std::uint64_t{1} << 15) - 1;
  (void)numbers.place(chunk);
  chunk.sequence = std::uint64_t{1} << 15;
  error_of(ErrorKind::bad_input, [&] { (void)numbers.place(chunk); });
}

}  // namespace
}  // namespace crivo::input
