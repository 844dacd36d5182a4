// SPDX-License-Identifier: Apache-2.0
// Lines of CSV end outside of quotes, wherever chunks are cut.

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "input/input_files.hpp"
#include "input/line_fields.hpp"

namespace crivo::input {
namespace {

/// The lines of `bytes`, of which at first `step` are there, then twice as many, and so on.
std::vector<std::string> lines_of(std::string_view bytes, std::size_t step) {
  QuotedLines lines(',');
  std::vector<std::string> found;
  std::size_t begin = 0;
  for (std::size_t have = std::min(step, bytes.size());;
       have = std::min(have + step, bytes.size())) {
    const std::string_view some = bytes.substr(0, have);
    for (std::size_t end = lines.next_end(some); end != have; end = lines.next_end(some)) {
      found.emplace_back(some.substr(begin, end - begin));
      begin = end + 1;
    }
    if (have == bytes.size()) break;
  }
  if (begin < bytes.size()) found.emplace_back(bytes.substr(begin));
  return found;
}

using Lines = std::vector<std::string>;

TEST(QuotedLines, EndOutsideOfQuotes) {
  for (const std::size_t step : {1, 2, 3, 100}) {
    EXPECT_EQ(lines_of("a,b\n\nc", step), (Lines{"a,b", "", "c"}));
    EXPECT_EQ(lines_of("\"a\nb\",c\nd\n", step), (Lines{"\"a\nb\",c", "d"}));
    EXPECT_EQ(lines_of("a,\"b\"\"\n\"\"\",\"\n\"\nd", step),
              (Lines{"a,\"b\"\"\n\"\"\",\"\n\"", "d"}));
    EXPECT_EQ(lines_of("a\"\nb,c\"\nd", step), (Lines{"a\"", "b,c\"", "d"}));
    EXPECT_EQ(lines_of("\"a\"\r\n\"b", step), (Lines{"\"a\"\r", "\"b"}));
  }
}

/// In chunks of an input as in one piece.
TEST(QuotedLines, CutChunks) {
  std::mt19937_64 random(3);
  std::string bytes;
  std::size_t units = 0;
  while (bytes.size() < 3 * kChunkBytes) {
    bytes += std::to_string(units++) + ",\"" + std::string(random() % 40, '\n') + "\"\n";
  }
  const InputFiles files;
  KeyFormat format;
  format.quotes = true;
  format.column_delimiter = ',';
  format.key_column = 1;
  std::size_t next = 0;
  take_keys({files.write("keys", bytes)}, format, {},
            [&](std::string_view key, std::size_t, std::uint64_t) {
              if (key == std::to_string(next)) ++next;
            });
  EXPECT_EQ(next, units);
}

}  // namespace
}  // namespace crivo::input
