// SPDX-License-Identifier: Apache-2.0
// Keys are counted in the order of the input.

#include "input/key_order.hpp"

#include <gtest/gtest.h>

#include <unordered_map>

#include "input/input_files.hpp"

namespace crivo::input {
namespace {

/// The places as against the keys in `text_keys`, whose repeats do not count.
void expect_places(const Strings& text_keys, DuplicatePolicy duplicates) {
  const InputFiles files;
  std::string text;
  std::unordered_map<std::string, std::uint64_t> expected;
  for (const std::string& key : text_keys) {
    text += key + "\n";
    expected.emplace(key, expected.size());
  }
  Progress progress;
  const HashedKeys hashed = hashed_by([&](const UseKeys& use) {
    hash_numbered_keys({{files.write("keys", text)}, {}},
                       {.duplicates = duplicates, .temp_dir = files.path()}, {2, progress}, use);
  });
  ASSERT_EQ(hashed.hashes.size(), expected.size());
  std::unordered_map<std::uint64_t, std::uint64_t> by_hash;
  for (const auto& [key, place] : expected) by_hash.emplace(hash_key(key, hashed.seed).lo, place);
  const stream::KeySlice keys = hashed.hashes.all();
  const KeyOrder order(keys.values, hashed.collected);
  for (std::uint64_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(order.place(keys.values[i]), by_hash.at(keys.hashes[i].lo)) << i;
  }
}

TEST(KeyOrder, IsThatOfTheInput) {
  for (const std::uint64_t n : {0U, 1U, 2U, 63U, 64U, 65U, 11'500U}) {
    Strings keys;
    for (std::uint64_t i = 0; i < n; ++i) keys.push_back("k" + std::to_string(i * 7919 % 100'003));
    expect_places(keys, DuplicatePolicy::refuse);
    expect_places(keys, DuplicatePolicy::ignore);
  }
}

TEST(KeyOrder, CountsTheFirstOfRepeats) {
  Strings keys;
  for (std::uint64_t i = 0; i < 20'000; ++i) keys.push_back("k" + std::to_string(i * i % 9'973));
  expect_places(keys, DuplicatePolicy::ignore);
  expect_places(keys, DuplicatePolicy::ignore_hashes);
  expect_places({"a", "a"}, DuplicatePolicy::ignore);
}

}  // namespace
}  // namespace crivo::input
