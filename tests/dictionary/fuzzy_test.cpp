// SPDX-License-Identifier: Apache-2.0
// Keys near a text are those that a table of distances finds among all.
#include "structures/dictionary/fuzzy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dictionary/built.hpp"

namespace crivo::dictionary {
namespace {

using test::Keys;
using Found = std::vector<std::pair<std::uint64_t, unsigned>>;

std::vector<EditAutomaton::Character> characters_of(std::string_view text) {
  std::vector<EditAutomaton::Character> characters;
  while (!text.empty()) {
    std::size_t bytes = 0;
    bool is_code_point = false;
    characters.push_back(EditAutomaton::first(text, bytes, is_code_point));
    text.remove_prefix(bytes);
  }
  return characters;
}

/// By the whole table.
unsigned distance(std::string_view a, std::string_view b) {
  const auto from = characters_of(a);
  const auto to = characters_of(b);
  std::vector<unsigned> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 0; i < from.size(); ++i) {
    unsigned diagonal = row[0]++;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const unsigned replaced = diagonal + (from[i] == to[j] ? 0U : 1U);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

Found near_of(const Reader& reader, const std::string& text, unsigned edits) {
  Found found;
  EXPECT_TRUE(for_each_near(reader, text, edits, [&](std::uint64_t id, unsigned distance) {
    found.emplace_back(id, distance);
  }));
  return found;
}

void expect_near(const Keys& keys, const Keys& texts) {
  const test::Built built = test::build(keys, {16, 8});
  const Reader reader(built.sections());
  for (const std::string& text : texts) {
    for (unsigned edits = 0; edits <= kMostEdits; ++edits) {
      Found expected;
      for (std::size_t id = 0; id < keys.size(); ++id) {
        // A character has at most 4 bytes.
        if (keys[id].size() > text.size() * 4 + 8) continue;
        const unsigned edited = distance(text, keys[id]);
        if (edited <= edits) expected.emplace_back(id, edited);
      }
      ASSERT_EQ(near_of(reader, text, edits), expected) << text << ", " << edits;
    }
  }
}

/// Of few characters of each length, and of bytes that are none.
std::string text_of(std::mt19937_64& random) {
  const std::vector<std::string> parts{"a",          "b",    "\u00e9", "\u20ac",
                                       "\U0001f600", "\xe2", "\x82",   std::string(1, '\0')};
  std::string text;
  const std::size_t most = random() % 3 == 0 ? parts.size() : 3;
  for (std::uint64_t left = random() % 7; left != 0; --left) text += parts[random() % most];
  return text;
}

TEST(Fuzzy, FindsWhatIsNearInAnyCharacters) {
  std::mt19937_64 random(1);
  for (int set = 0; set < 20; ++set) {
    SCOPED_TRACE(set);
    Keys keys;
    Keys texts;
    for (std::uint64_t left = random() % 1500; left != 0; --left) keys.push_back(text_of(random));
    for (int i = 0; i < 10; ++i) texts.push_back(text_of(random));
    ASSERT_NO_FATAL_FAILURE(expect_near(test::in_order(keys), texts));
  }
}

TEST(Fuzzy, FindsWhatIsNearInRandomKeys) {
  std::mt19937_64 random(2);
  for (int set = 0; set < 2; ++set) {
    SCOPED_TRACE(set);
    const Keys keys = test::random_keys(random);
    Keys texts;
    for (int i = 0; i < 5; ++i) texts.push_back(test::random_text(keys, random));
    ASSERT_NO_FATAL_FAILURE(expect_near(keys, texts));
  }
}

TEST(Fuzzy, CountsCodePointsAndBytesThatAreNone) {
  EXPECT_EQ(distance("caf\u00e9", "cafe"), 1U);
  EXPECT_EQ(distance("caf\xe9", "cafe"), 1U);
  EXPECT_EQ(distance("caf\u00e9", "caf\xe9"), 1U);
}

}  // namespace
}  // namespace crivo::dictionary
