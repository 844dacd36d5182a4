// SPDX-License-Identifier: Apache-2.0
// Filters of type range as the library has them: numbers and texts, ranges one by one and in
// batches, under any seed.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <list>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/build/reproduce.hpp"
#include "crivo/filter.hpp"
#include "crivo/inspect.hpp"
#include "index/key_sets.hpp"

namespace crivo::test {
namespace {

const FilterOptions kOptions{.type = "range", .fpr = 1.0 / 128, .longest_range = 50};

/// The eight bytes of a number, the highest first.
std::string bytes_of_number(std::uint64_t number) {
  std::string text(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) text[i] = static_cast<char>(number >> (56 - 8 * i));
  return text;
}

class RangeFilters : public testing::Test {
 protected:
  RangeFilters() {
    std::mt19937_64 random(11);
    std::set<std::uint64_t> set;
    for (int cluster = 0; cluster < 200; ++cluster) {
      std::uint64_t next = random();
      for (int i = 0; i < 20; ++i) set.insert(next += 1 + random() % 3000);
    }
    numbers_.assign(set.begin(), set.end());
    for (const std::uint64_t number : numbers_) {
      for (int i = 0; i < 5; ++i) {
        lows_.push_back(number - 100 + random() % 200);
        highs_.push_back(lows_.back() + random() % 9000);
      }
    }
    lows_.insert(lows_.end(), {7, 0, 0, numbers_[5]});
    highs_.insert(highs_.end(), {6, UINT64_MAX, 1U << 24, UINT64_MAX});
  }

  bool has_key(std::uint64_t low, std::uint64_t high) const {
    const auto next = std::ranges::lower_bound(numbers_, low);
    return next != numbers_.end() && *next <= high;
  }

  void expect_answers(const Filter& filter) const {
    ASSERT_TRUE(filter.takes_ranges());
    for (const std::uint64_t number : numbers_) {
      EXPECT_TRUE(filter.contains(number));
      EXPECT_TRUE(filter.contains(bytes_of_number(number)));
      EXPECT_TRUE(filter.contains(filter.hash(number)));
      EXPECT_EQ(filter.hash(number), filter.hash(bytes_of_number(number)));
    }
    const auto answers = std::make_unique<bool[]>(lows_.size());
    filter.contains_ranges(lows_, highs_, {answers.get(), lows_.size()});
    std::size_t absent = 0;
    for (std::size_t i = 0; i < lows_.size(); ++i) {
      EXPECT_EQ(filter.contains_range(lows_[i], highs_[i]), answers[i]);
      EXPECT_TRUE(answers[i] || !has_key(lows_[i], highs_[i])) << i;
      absent += answers[i] ? 0 : 1;
    }
    EXPECT_GT(absent, lows_.size() / 20);
    EXPECT_FALSE(filter.contains_range(7, 6));
    EXPECT_TRUE(filter.contains_range(0, UINT64_MAX));
  }

  std::vector<std::uint64_t> numbers_;
  std::vector<std::uint64_t> lows_;
  std::vector<std::uint64_t> highs_;
};

using Bytes = std::vector<std::byte>;

Bytes built(const KeyInput& input, const BuildOptions& options = {}) {
  Bytes bytes;
  build_filter(input, Output::to(bytes), kOptions, options);
  return bytes;
}

TEST_F(RangeFilters, NumbersAndTheirBytesAreOneKey) {
  std::vector<std::string> texts;
  for (const std::uint64_t number : numbers_) texts.push_back(bytes_of_number(number));
  const Bytes bytes = built(keys_in(texts));
  EXPECT_EQ(built(keys_in(numbers_)), bytes);
  const std::list<std::uint64_t> list(numbers_.begin(), numbers_.end());
  EXPECT_EQ(built(keys_in(list)), bytes);
  const Filter filter = Filter::open(bytes);
  EXPECT_EQ(filter.hash_function().name(), "range");
  EXPECT_EQ(filter.size(), numbers_.size());
  expect_answers(filter);
}

TEST_F(RangeFilters, UnderAnySeed) {
  for (const bool keyed : {false, true}) {
    BuildOptions options;
    options.seed = 123;
    options.keyed_hash = keyed;
    const Workshop shop;
    build_filter(keys_in(numbers_), shop.at("out"), kOptions, options);
    EXPECT_EQ(inspect(shop.at("out")).hash, keyed ? "range-siphash" : "range");
    verify_keys(shop.at("out"), keys_in(numbers_));
    expect_answers(Filter::open(shop.at("out")));
  }
}

TEST_F(RangeFilters, OtherTypesRefuseRanges) {
  Bytes bytes;
  build_filter(keys_in(numbers_), Output::to(bytes), {});
  const Filter filter = Filter::open(bytes);
  EXPECT_FALSE(filter.takes_ranges());
  error_of(ErrorKind::usage, [&] { (void)filter.contains_range(1, 2); });
  bool answer = false;
  error_of(ErrorKind::usage, [&] {
    filter.contains_ranges(std::span(lows_).first(1), std::span(highs_).first(1), {&answer, 1});
  });
  const Filter ranges = Filter::open(built(keys_in(numbers_)), {.mode = OpenMode::copy});
  error_of(ErrorKind::usage, [&] {
    ranges.contains_ranges(std::span(lows_).first(2), std::span(highs_).first(2), {&answer, 1});
  });
}

TEST_F(RangeFilters, LongKeysAreNoNumbers) {
  const std::vector<std::string> texts{"12345678", "123456789"};
  const std::string said = error_of(ErrorKind::bad_input, [&] { (void)built(keys_in(texts)); });
  EXPECT_NE(said.find("[1]"), std::string::npos) << said;
}

}  // namespace
}  // namespace crivo::test
