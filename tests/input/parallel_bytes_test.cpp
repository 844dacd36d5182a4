// SPDX-License-Identifier: Apache-2.0
// Files of several streams, decompressed by several threads: the bytes, stream starts and faults
// that one thread finds.

#include "input/parallel_bytes.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "crivo/error.hpp"
#include "input/input_files.hpp"
#include "support/compressed.hpp"

namespace crivo::input {
namespace {

struct Whole {
  std::string bytes;
  std::set<std::uint64_t> starts;
  std::string fault;

  friend bool operator==(const Whole&, const Whole&) = default;
};

/// 0 threads: by the function that knows none.
Whole read_whole(const std::string& path, unsigned threads) {
  InputFile file(path);
  const OpenedBytes opened = threads == 0 ? open_bytes(file) : open_bytes(path, file, threads);
  Whole whole;
  std::string room(50'021, '\0');
  try {
    while (const std::size_t got = opened.bytes->read(room)) {
      whole.bytes.append(room, 0, got);
      whole.starts.insert(opened.bytes->stream_start().value_or(UINT64_MAX));
    }
    EXPECT_EQ(opened.bytes->read(room), 0U);
  } catch (const Error& error) {
    whole.fault = error.what();
    // How far a decoder had looked ahead depends on the room that it was given.
    std::erase_if(whole.fault, [](char c) { return c >= '0' && c <= '9'; });
  }
  return whole;
}

std::string noise(std::size_t bytes, std::mt19937& random) {
  std::string text(bytes, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

void expect_alike(const std::string& path, const char* what) {
  const Whole expected = read_whole(path, 0);
  for (const unsigned threads : {1U, 2U, 4U}) {
    EXPECT_TRUE(read_whole(path, threads) == expected) << what << ", threads: " << threads;
  }
}

std::string of_streams(bool zstd, std::size_t bytes, std::mt19937& random) {
  std::string file;
  while (file.size() < bytes) {
    const std::string text = noise(random() % 7 == 0 ? 300'000 : random() % 9000, random);
    file += zstd ? test::zstd(text) : test::gzip(text, 0);
  }
  return file;
}

TEST(ParallelBytes, AreThoseOfOneThread) {
  std::mt19937 random(3);
  const InputFiles files;
  for (const bool zstd : {false, true}) {
    const std::string file = of_streams(zstd, 6 << 20, random);
    expect_alike(files.write("whole", file), "whole");
    expect_alike(files.write("cut", file.substr(0, file.size() - 3)), "cut");
    expect_alike(files.write("garbage", file + "garbage"), "garbage behind");
    std::string damaged = file;
    for (std::size_t i = 0; i < 64; ++i) damaged[(3 << 20) + i] ^= '\x55';
    const std::string path = files.write("damaged", damaged);
    expect_alike(path, "damaged");
    EXPECT_NE(read_whole(path, 4).fault, "");
    EXPECT_GT(read_whole(path, 4).bytes.size(), 2U << 20);
  }
}

/// What is stored in a stream looks like streams of the file.
TEST(ParallelBytes, OfFilesWithinFiles) {
  std::mt19937 random(4);
  const InputFiles files;
  const std::string inner = of_streams(false, 5 << 20, random);
  const std::string outer = of_streams(false, 2 << 20, random);
  const std::string around = outer + test::gzip(inner, 0) + outer;
  expect_alike(files.write("around", around), "files within files");
  expect_alike(files.write("whole", test::gzip(inner, 0)), "a file in a single stream");
  expect_alike(files.write("few", outer.substr(0, 5000)), "a small file");
}

/// Who reads no more waits for no thread that would.
TEST(ParallelBytes, AreLeftAnywhere) {
  std::mt19937 random(5);
  const InputFiles files;
  const std::string path = files.write("whole", of_streams(false, 8 << 20, random));
  for (const std::size_t reads : {0U, 1U, 40U}) {
    InputFile file(path);
    const OpenedBytes opened = open_bytes(path, file, 4);
    std::string room(60'000, '\0');
    for (std::size_t i = 0; i < reads; ++i) EXPECT_NE(opened.bytes->read(room), 0U);
  }
}

}  // namespace
}  // namespace crivo::input
