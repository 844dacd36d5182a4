// SPDX-License-Identifier: Apache-2.0
// Files are cut into chunks at whole keys, whatever lies at a block's edge.

#include "input/chunk_reader.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <random>

#include "base/parallel.hpp"
#include "input/input_files.hpp"
#include "input/places.hpp"

namespace crivo::input {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
constexpr ChunkOptions kBlocks{};
constexpr ChunkOptions kInOrder{.in_order = true};
const KeyFormat kLines{.allow_empty = true};
const KeyFormat kNull{.framing = KeyFormat::Framing::null, .allow_empty = true};

KeyFormat fixed(std::uint32_t width) {
  return {.framing = KeyFormat::Framing::fixed, .width = width};
}

/// Cuts `bytes` both ways: into one key after the other, of which end(begin) says where each ends,
/// and a delimiter of so many bytes behind each.
template <typename End>
void expect_keys(std::string_view bytes, const KeyFormat& format, std::size_t delimiter,
                 const End& end) {
  const InputFiles files;
  const std::string path = files.write("keys", bytes);
  for (const ChunkOptions options : {kBlocks, kInOrder}) {
    std::size_t begin = 0;
    std::size_t wrong = 0;
    take_keys({path}, format, options,
              [&](std::string_view key, std::size_t file, std::uint64_t offset) {
                const std::size_t behind = begin < bytes.size() ? end(begin) : begin;
                const std::string_view expected = bytes.substr(begin, behind - begin);
                if (begin >= bytes.size() || file != 0 || offset != begin || key != expected)
                  ++wrong;
                begin = std::min(behind + delimiter, bytes.size());
              });
    EXPECT_EQ(begin, bytes.size()) << (options.in_order ? "in order" : "in blocks");
    EXPECT_EQ(wrong, 0U) << (options.in_order ? "in order" : "in blocks");
  }
}

/// Cuts `bytes` both ways and compares with the simple cut.
void expect_cut(std::string_view bytes, char delimiter = '\n') {
  expect_keys(bytes, delimiter == '\n' ? kLines : kNull, 1, [&](std::size_t begin) {
    return std::min(bytes.find(delimiter, begin), bytes.size());
  });
}

TEST(ChunkReader, SmallInputs) {
  for (const char delimiter : {'\n', '\0'}) {
    const std::string d(1, delimiter);
    expect_cut("", delimiter);
    expect_cut(d, delimiter);
    expect_cut(d + d, delimiter);
    expect_cut("a", delimiter);
    expect_cut("a" + d, delimiter);
    expect_cut("a" + d + d + "bc", delimiter);
    expect_cut("a\r" + d + "\t b" + d, delimiter);
  }
}

/// A key ends, or begins, at every distance from the edge of a block.
TEST(ChunkReader, KeysAroundTheEdgeOfABlock) {
  for (const std::size_t before : {3U, 2U, 1U, 0U}) {
    for (const std::size_t after : {0U, 1U, 2U, 4095U, 4096U, 4097U, 9000U}) {
      const std::string head = "first\n" + std::string(kBlock - 6 - 1 - before, 'x') + "\n";
      ASSERT_EQ(head.size(), kBlock - before);
      expect_cut(head + std::string(before + after, 'y') + "\nlast\n");
      expect_cut(head + std::string(before + after, 'y'));
    }
  }
}

TEST(ChunkReader, ADelimiterOnEachSideOfTheEdge) {
  std::string bytes(3 * kBlock, 'x');
  for (std::size_t i = 1000; i < bytes.size(); i += 1000) bytes[i] = '\n';
  for (const std::size_t at : {kBlock - 1, kBlock, 2 * kBlock - 1, 2 * kBlock + 1}) {
    std::string marked = bytes;
    marked[at] = '\n';
    expect_cut(marked);
  }
}

/// The file ends at a block's edge, with and without a delimiter.
TEST(ChunkReader, FilesOfWholeBlocks) {
  std::string bytes(2 * kBlock, 'x');
  for (std::size_t i = 500; i < bytes.size(); i += 700) bytes[i] = '\n';
  expect_cut(bytes);
  bytes.back() = '\n';
  expect_cut(bytes);
  bytes += "\n";
  expect_cut(bytes);
}

TEST(ChunkReader, KeysOfTheGreatestLength) {
  const std::string longest(kMaxKeyBytes, 'k');
  expect_cut(longest);
  expect_cut(longest + "\n" + longest + "\n");
  expect_cut("a\n" + longest + "\nb\n" + longest + "\n\n" + longest);
}

TEST(ChunkReader, RandomKeysInAllFramings) {
  std::mt19937_64 random(1);
  std::string bytes;
  while (bytes.size() < 3 * kBlock + 12345) {
    const std::size_t length = random() % 64 == 0 ? random() % 70'000 : random() % 40;
    for (std::size_t i = 0; i < length; ++i) bytes += static_cast<char>(random() % 255 + 1);
    bytes += random() % 2 == 0 ? '\n' : '\0';
  }
  expect_cut(bytes, '\n');
  expect_cut(bytes, '\0');
  for (const std::uint32_t width : {1U, 3U, 8U, 1000U, 65537U, 1U << 20}) {
    SCOPED_TRACE(width);
    bytes.resize(bytes.size() / width * width);
    expect_keys(bytes, fixed(width), 0, [&](std::size_t begin) { return begin + width; });
  }
}

/// Each file ends its last key: "a" and "b" do not become "ab".
TEST(ChunkReader, SeveralFiles) {
  const InputFiles files;
  const Strings paths{files.write("1", "a"), files.write("2", ""), files.write("3", "b\nc\n"),
                      files.write("4", "\n")};
  const std::vector<Unit> expected{{"a", 0, 0}, {"b", 2, 0}, {"c", 2, 2}, {"", 3, 0}};
  EXPECT_EQ(cut_keys(paths, kLines, kBlocks), expected);
  EXPECT_EQ(cut_keys(paths, kLines, kInOrder), expected);
  EXPECT_TRUE(cut_keys({}, kLines, kBlocks).empty());
}

TEST(ChunkReader, LongHeadersWithoutKeysKeepNoTurn) {
  const InputFiles files;
  const std::string path = files.write("header", std::string(kLongChunkBytes + 1, 'h') + "\n");
  const KeyFormat format{
      .key_column = 1, .column_delimiter = ',', .quotes = true, .skip_header = true};
  for (const ChunkOptions options : {kBlocks, kInOrder}) {
    std::uint64_t keys = 0;
    take_keys({path, path, path}, format, options,
              [&](std::string_view, std::size_t, std::uint64_t) { ++keys; });
    EXPECT_EQ(keys, 0U);
  }
}

/// Else each thread would have a record of a source that is as long as a budget.
TEST(ChunkReader, OneLongChunkOfASourceAtATime) {
  const std::string record(kLongChunkBytes + 1, 'r');
  const std::vector<std::string> keys(12, "k");
  const std::vector<std::string_view> records(keys.size(), record);
  std::size_t left = keys.size();
  for (const KeyInput& input : {keys_from([&](KeyWriter& writer) {
                                  writer.record("k", record);
                                  return --left != 0;
                                }),
                                records_in(keys, records)}) {
    ChunkReader reader(input, UnitFraming::of_records(input.format), kBlocks);
    std::atomic<int> chunks{0};
    std::atomic<int> held{0};
    std::atomic<int> most{0};
    base::run_threads(4, [&](unsigned) {
      Chunk chunk;
      while (reader.next(chunk)) {
        ++chunks;
        const int now = ++held;
        if (now > most) most = now;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));  // others come if they may
        --held;
      }
    });
    EXPECT_GE(chunks, static_cast<int>(keys.size()) / 2);
    EXPECT_EQ(most, 1);
  }
}

TEST(ChunkReader, StripsTheCrOfALineOnly) {
  const InputFiles files;
  const Strings paths{files.write("keys", "a\r\nb\nc\r\r\n\rd\r\n\r\ne\r")};
  KeyFormat format = kLines;
  EXPECT_EQ(keys_of(cut_keys(paths, format, kBlocks)),
            (Strings{"a\r", "b", "c\r\r", "\rd\r", "\r", "e\r"}));
  format.strip_cr = true;
  EXPECT_EQ(keys_of(cut_keys(paths, format, kBlocks)), (Strings{"a", "b", "c\r", "\rd", "", "e"}));
}

/// With its CR a key of the full length is one byte longer.
TEST(ChunkReader, ACrAfterAKeyOfTheGreatestLength) {
  const InputFiles files;
  const std::string longest(kMaxKeyBytes, 'k');
  const Strings paths{files.write("keys", "a\r\n" + longest + "\r\nb\r\n")};
  for (const unsigned threads : {1U, 2U}) {
    EXPECT_EQ(hash(paths, threads, {.strip_cr = true}).collected, 3U);
    EXPECT_EQ(error_of(ErrorKind::bad_input, [&] { hash(paths, threads); }),
              paths[0] + ":2: the key is longer than the limit of 1048576 bytes");
  }
}

TEST(ChunkReader, OverlongKeysAreNamedByTheirLine) {
  const InputFiles files;
  for (const std::size_t excess : {std::size_t{1}, std::size_t{5000}, 5 * kBlock}) {
    for (const char* end : {"", "\nnext\n"}) {
      const Strings paths{
          files.write("good", "0\n"),
          files.write("bad", "a\nb\n" + std::string(kMaxKeyBytes + excess, 'k') + end)};
      for (const unsigned threads : {1U, 3U}) {
        EXPECT_EQ(error_of(ErrorKind::bad_input, [&] { hash(paths, threads); }),
                  paths[1] + ":3: the key is longer than the limit of 1048576 bytes");
      }
      EXPECT_NE(error_of(ErrorKind::bad_input, [&] { cut_keys(paths, kLines, kInOrder); })
                    .find("longer than the limit"),
                std::string::npos);
    }
  }
}

TEST(ChunkReader, AnIncompleteFixedKey) {
  const InputFiles files;
  const Strings paths{files.write("whole", "12345678"), files.write("cut", "12345678abcdefghxyz")};
  for (const unsigned threads : {1U, 2U}) {
    EXPECT_EQ(error_of(ErrorKind::bad_input, [&] { hash(paths, threads, fixed(8)); }),
              paths[1] + ": key 3: the last key has 3 bytes of 8");
  }
  EXPECT_THROW(cut_keys(paths, fixed(8), kInOrder), InputFault);
}

TEST(ChunkReader, WidthsThatMakeNoSense) {
  for (const std::uint32_t width : {0U, (1U << 20) + 1}) {
    error_of(ErrorKind::usage, [&] { UnitFraming::of_keys(fixed(width)); });
  }
  error_of(ErrorKind::usage, [&] { UnitFraming::of_records(fixed(8)); });
}

TEST(ChunkReader, ReportsWhatItConsumed) {
  const InputFiles files;
  const Strings paths{files.write("1", std::string(kBlock, 'x') + "\n"), files.write("2", "b\n")};
  for (const ChunkOptions options : {kBlocks, kInOrder}) {
    ChunkReader reader(paths, UnitFraming::of_keys(kLines), options);
    Chunk chunk;
    while (reader.next(chunk)) {
    }
    EXPECT_EQ(reader.consumed(), kBlock + 3);
  }
}

/// The last chunk is known for it where files are cut in blocks; else the end has to be met.
TEST(ChunkReader, TellsWhetherThereMayBeMore) {
  const InputFiles files;
  const std::string one_block = files.write("1", "a\nb\n");
  const std::string two_blocks = files.write("2", std::string(kBlock, 'x') + "\nc\n");
  const auto told = [](const Strings& paths, ChunkOptions options) {
    ChunkReader reader(paths, UnitFraming::of_keys(kLines), options);
    std::vector<bool> may_have_more{reader.may_have_more()};
    Chunk chunk;
    while (reader.next(chunk)) may_have_more.push_back(reader.may_have_more());
    EXPECT_FALSE(reader.may_have_more());
    return may_have_more;
  };
  using Told = std::vector<bool>;
  EXPECT_EQ(told({one_block}, kBlocks), (Told{true, false}));
  EXPECT_EQ(told({two_blocks}, kBlocks), (Told{true, true, false}));
  EXPECT_EQ(told({one_block, two_blocks, one_block}, kBlocks),
            (Told{true, true, true, true, false}));
  EXPECT_EQ(told({one_block}, kInOrder), (Told{true, true}));
}

/// What stands behind a fault is nothing more.
TEST(ChunkReader, AfterAFaultThereIsNoMore) {
  const InputFiles files;
  const Strings paths{files.write("1", std::string(3 * kBlock, 'x') + "\n"),
                      files.write("2", "a\n")};
  ChunkReader reader(paths, UnitFraming::of_keys(kLines), kBlocks);
  Chunk chunk;
  EXPECT_THROW((void)reader.next(chunk), InputFault);
  reader.end_before(0);
  EXPECT_FALSE(reader.may_have_more());
}

TEST(ChunkReader, CountsTheUnitsBeforeAPlace) {
  const InputFiles files;
  const std::string path = files.write("keys", "a\nbb\n\nccc\n");
  const UnitFraming lines = UnitFraming::of_keys(kLines);
  EXPECT_EQ(count_units_before(path, lines, 0), 0U);
  EXPECT_EQ(count_units_before(path, lines, 2), 1U);
  EXPECT_EQ(count_units_before(path, lines, 5), 2U);
  EXPECT_EQ(count_units_before(path, lines, 6), 3U);
  EXPECT_EQ(count_units_before(path, UnitFraming::of_keys(fixed(3)), 6), 2U);
}

/// What a pipe has delivered is handed out before it delivers more.
TEST(ChunkReader, EagerOnAPipe) {
  const InputFiles files;
  const std::string path = files.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int both = ::open(path.c_str(), O_RDWR);  // so that neither side waits for the other
  ASSERT_GE(both, 0);
  const auto put = [&](std::string_view bytes) {
    ASSERT_EQ(::write(both, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  };
  ChunkReader reader({path}, UnitFraming::of_keys(kLines), {.in_order = true, .eager = true});
  Chunk chunk;
  const auto next = [&] {
    EXPECT_TRUE(reader.next(chunk));
    return std::string(chunk.bytes.begin(), chunk.bytes.end());
  };
  put("first\ntwo\nthr");
  EXPECT_EQ(next(), "first\ntwo\n");
  put("ee\n");
  EXPECT_EQ(next(), "three\n");
  EXPECT_EQ(chunk.start.line, 2U);
  put("four\n");
  put("five");
  EXPECT_EQ(next(), "four\n");
  ::close(both);
  EXPECT_EQ(next(), "five");
  EXPECT_EQ(chunk.ordinal, 4U);
  EXPECT_FALSE(reader.next(chunk));
}

/// A pipe delivers keys in pieces of any size.
/// Whoever feeds the pipe may wait for an answer to each line, also to one of a byte, or one that
/// begins as a compressed file does.
TEST(ChunkReader, AWholeLineIsHandedOutAtOnce) {
  const InputFiles files;
  for (const std::string line : {"\n", "a\n", "B\n", "PK\n", "BZh9\n", "\x1f\x8b\n", "LZIP\n"}) {
    const SlowPipe pipe(files);
    pipe.write(line);
    ChunkReader reader({pipe.path()}, UnitFraming::of_keys(kLines),
                       {.in_order = true, .eager = true});
    Chunk chunk;
    ASSERT_TRUE(reader.next(chunk));
    EXPECT_EQ(std::string(chunk.bytes.begin(), chunk.bytes.end()), line);
  }
}

/// A fault takes nothing with it that stands before.
TEST(ChunkReader, WholeKeysBeforeAnIncompleteOneComeFirst) {
  const InputFiles files;
  ChunkReader reader({files.write("keys", "12345678abcdefghxyz")}, UnitFraming::of_keys(fixed(8)),
                     kInOrder);
  Chunk chunk;
  ASSERT_TRUE(reader.next(chunk));
  EXPECT_EQ(std::string(chunk.bytes.begin(), chunk.bytes.end()), "12345678abcdefgh");
  EXPECT_THROW((void)reader.next(chunk), InputFault);
}

TEST(ChunkReader, PipesAreCutAsFilesAre) {
  const InputFiles files;
  std::string bytes;
  for (std::size_t i = 0; i < 40'000; ++i)
    bytes += std::to_string(i) + std::string(i % 97, 'z') + "\n";
  Strings pieces;
  for (std::size_t at = 0, size = 1; at < bytes.size();) {
    pieces.push_back(bytes.substr(at, size));
    at += size;
    size = size * 7 % 65'521 + 1;
  }
  const FilledPipe pipe(files, pieces);
  EXPECT_TRUE(cut_keys({pipe.path()}, kLines, kInOrder) == split(bytes, '\n'));
}

/// After a fault there is nothing more to be had, for the other threads above all.
TEST(ChunkReader, EndsAfterAFault) {
  const InputFiles files;
  const Strings paths{files.write("1", "a\n" + std::string(3 * kBlock, 'k') + "\nb\n"),
                      files.write("2", "c\n")};
  ChunkReader reader(paths, UnitFraming::of_keys(kLines), kInOrder);
  Chunk chunk;
  ASSERT_TRUE(reader.next(chunk));
  EXPECT_THROW(reader.next(chunk), InputFault);
  Chunk of_another_thread;
  EXPECT_FALSE(reader.next(of_another_thread));
  EXPECT_FALSE(reader.next(chunk));
}

TEST(ChunkReader, FilesThatCannotBeRead) {
  const InputFiles files;
  error_of(ErrorKind::io, [&] { cut_keys({files.path() / "none"}, kLines, kBlocks); });
  error_of(ErrorKind::io, [&] { cut_keys({files.path()}, kLines, kBlocks); });
  error_of(ErrorKind::io, [&] { regular_input_bytes({files.path() / "none"}); });
}

}  // namespace
}  // namespace crivo::input
