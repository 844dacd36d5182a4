// SPDX-License-Identifier: Apache-2.0
// Keys that are hashed together have the hashes that they have by themselves.

#include "hashing/batch_hash.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "crivo/key.hpp"

namespace crivo::hashing {
namespace {

std::vector<std::string> texts_of(std::span<const std::size_t> sizes, std::mt19937_64& random) {
  std::vector<std::string> texts;
  for (const std::size_t size : sizes) {
    std::string& text = texts.emplace_back(size, '\0');
    for (char& c : text) c = static_cast<char>(random());
  }
  return texts;
}

void expect_hash_key(const std::vector<std::string>& texts, std::uint64_t seed) {
  const std::vector<std::string_view> keys(texts.begin(), texts.end());
  std::vector<Hash128> hashes(keys.size());
  const BatchHash hash(seed);
  hash(keys, hashes.data());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(hashes[i], hash_key(keys[i], seed)) << i << ": " << keys[i].size() << " bytes";
  }
}

constexpr std::uint64_t kSeeds[] = {0, 1, 0x8000'0000'0000'0000U, UINT64_MAX};

/// Every length of every way that XXH3 has, and some beyond.
TEST(BatchHash, IsHashKeyAtEveryLength) {
  std::mt19937_64 random(1);
  for (const std::uint64_t seed : kSeeds) {
    for (std::size_t size = 0; size < 600; ++size) {
      expect_hash_key(texts_of(std::vector<std::size_t>(3, size), random), seed);
    }
  }
}

TEST(BatchHash, IsHashKeyInAnyMixture) {
  std::mt19937_64 random(2);
  for (const std::uint64_t seed : kSeeds) {
    for (const std::size_t most : {20U, 140U, 1000U}) {
      for (const std::size_t keys : {std::size_t{1}, std::size_t{37}, BatchHash::kMostKeys}) {
        std::vector<std::size_t> sizes(keys);
        std::ranges::generate(sizes, [&] { return random() % most; });
        expect_hash_key(texts_of(sizes, random), seed);
      }
    }
  }
}

TEST(BatchHash, HasNoneOfNoKeys) {
  expect_hash_key({}, 0);
}

/// The batch is as large as can be, and of one class of length.
TEST(BatchHash, FillsAClassOfLength) {
  std::mt19937_64 random(3);
  for (const std::size_t size : {0U, 7U, 16U, 17U, 40U, 70U, 128U, 129U}) {
    expect_hash_key(texts_of(std::vector<std::size_t>(BatchHash::kMostKeys, size), random), 9);
  }
}

TEST(ForEachByLength, VisitsEachKeyOnce) {
  std::mt19937_64 random(4);
  for (const std::size_t keys :
       {std::size_t{0}, std::size_t{1}, std::size_t{100}, BatchHash::kMostKeys}) {
    std::vector<std::size_t> sizes(keys);
    std::ranges::generate(sizes, [&] { return random() % 300; });
    const std::vector<std::string> texts = texts_of(sizes, random);
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    std::vector<std::size_t> visited;
    for_each_by_length(views, [&](std::size_t i) { visited.push_back(i); });
    for (std::size_t at = 1; at < visited.size(); ++at) {
      EXPECT_LE(std::min(sizes[visited[at - 1]], std::size_t{127}), sizes[visited[at]]);
    }
    std::ranges::sort(visited);
    for (std::size_t i = 0; i < keys; ++i) EXPECT_EQ(visited.at(i), i);
    EXPECT_EQ(visited.size(), keys);
  }
}

}  // namespace
}  // namespace crivo::hashing
