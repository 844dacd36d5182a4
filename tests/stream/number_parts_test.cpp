// SPDX-License-Identifier: Apache-2.0
// Numbers in order: spread evenly or not, more than fit into memory, and the same one very often.

#include "stream/number_parts.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/temp_directory.hpp"

namespace crivo::stream {
namespace {

struct Room {
  std::vector<std::uint64_t> numbers;
  std::vector<std::uint64_t> spare;
};

std::vector<std::uint64_t> sorted(const std::vector<std::uint64_t>& numbers, unsigned threads,
                                  std::uint64_t& temp_bytes) {
  const test::TempDirectory directory;
  Progress progress;
  base::Scratch scratch(directory.path(), std::uint64_t{1} << 20, progress);
  const auto parts = std::make_unique<NumberParts>(64, scratch);
  for (const std::uint64_t number : numbers) parts->add(number);
  std::vector<std::uint64_t> all;
  SortedNumbers<Room>(threads, std::uint64_t{1} << 20, scratch)
      .for_each(
          *parts, [](Room&) {},
          [&](const Room& room) {
            all.insert(all.end(), room.numbers.begin(), room.numbers.end());
          },
          [&](std::uint64_t number, std::uint64_t times) { all.insert(all.end(), times, number); });
  temp_bytes = scratch.temp_bytes();
  return all;
}

TEST(NumberParts, AreInOrder) {
  constexpr std::size_t kMany = 300'000;  // more than are sorted at once
  std::mt19937_64 random(1);
  const auto made = [&](std::size_t count, auto number) {
    std::vector<std::uint64_t> numbers(count);
    for (std::uint64_t& one : numbers) one = number();
    return numbers;
  };
  const std::vector<std::vector<std::uint64_t>> sets{
      {},
      {7},
      made(1000, [&] { return random(); }),
      made(7 * kMany, [&] { return random(); }),
      made(kMany, [&] { return random() >> 20; }),
      made(kMany, [&] { return std::uint64_t{1} << 63 | random() % 9; }),
      made(kMany, [&] { return ~std::uint64_t{0}; }),
      made(2 * kMany, [&] { return random() % 2 == 0 ? 12345 : random(); }),
  };
  for (const std::vector<std::uint64_t>& numbers : sets) {
    std::vector<std::uint64_t> expected = numbers;
    std::ranges::sort(expected);
    for (const unsigned threads : {1U, 3U}) {
      std::uint64_t temp_bytes = 0;
      EXPECT_TRUE(sorted(numbers, threads, temp_bytes) == expected) << numbers.size();
      EXPECT_EQ(temp_bytes != 0, numbers.size() >= kMany);
    }
  }
}

}  // namespace
}  // namespace crivo::stream
