// SPDX-License-Identifier: Apache-2.0
// Delimiters are found, few or many, by every kernel.

#include "input/delimiter_scan.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace crivo::input {
namespace {

std::vector<std::uint32_t> scanned(std::string_view bytes, char delimiter) {
  std::vector<std::uint32_t> all;
  DelimiterScan scan(bytes, delimiter);
  for (auto some = scan.next(); !some.empty(); some = scan.next()) {
    all.insert(all.end(), some.begin(), some.end());
  }
  EXPECT_TRUE(scan.next().empty());
  return all;
}

std::vector<std::uint32_t> expected(std::string_view bytes, char delimiter) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == delimiter) all.push_back(i);
  }
  return all;
}

/// From none to all of the bytes are delimiters; every length of a last block.
TEST(DelimiterScan, FindsAllOfAnyDensity) {
  std::mt19937_64 random(1);
  for (const char delimiter : {'\n', '\0', '\xff'}) {
    for (const unsigned percent : {0U, 1U, 2U, 10U, 50U, 95U, 100U}) {
      for (std::size_t size = 0; size < 200; ++size) {
        std::string bytes(size + 20 * (random() % 200), 'x');
        for (char& c : bytes)
          c = random() % 100 < percent ? delimiter : static_cast<char>(random());
        ASSERT_EQ(scanned(bytes, delimiter), expected(bytes, delimiter)) << bytes.size();
        ASSERT_EQ(count_delimiters(bytes, delimiter), expected(bytes, delimiter).size());
      }
    }
  }
}

TEST(DelimiterScan, FindsThemAfterALongUnit) {
  std::string bytes(100'000, 'x');
  EXPECT_TRUE(scanned(bytes, '\n').empty());
  bytes += "\n\nxyz";
  EXPECT_EQ(scanned(bytes, '\n'), (std::vector<std::uint32_t>{100'000, 100'001}));
}

/// More than a byte counts to, in blocks and after them.
TEST(DelimiterScan, CountsManyInARow) {
  for (const std::size_t size : {64 * 255, 64 * 256, 64 * 1000 + 63}) {
    EXPECT_EQ(count_delimiters(std::string(size, '\n'), '\n'), size);
    EXPECT_EQ(count_delimiters(std::string(size, '\n'), '\0'), 0U);
  }
}

}  // namespace
}  // namespace crivo::input
