// SPDX-License-Identifier: Apache-2.0
// The sample that tokens are chosen by, and how they cut a text.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/arithmetic.hpp"
#include "structures/dictionary/build/builder.hpp"
#include "structures/dictionary/token_table.hpp"

namespace crivo::dictionary {
namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t kLongest = 4096;  // of a text in a sample

/// So many of those drawn first, in the order of their ranks.
Texts drawn_first(const Texts& texts, std::size_t count) {
  std::vector<std::pair<std::uint64_t, std::size_t>> drawn;
  for (std::size_t i = 0; i < texts.size(); ++i) drawn.emplace_back(base::mix64(i), i);
  std::sort(drawn.begin(), drawn.end());
  drawn.resize(count);
  std::sort(drawn.begin(), drawn.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  Texts first;
  for (const auto& [number, rank] : drawn) first.push_back(texts[rank].substr(0, kLongest));
  return first;
}

TEST(RankSample, HasTheTextsDrawnFirst) {
  std::mt19937_64 random(1);
  const auto texts = [&](std::size_t count, std::size_t longest) {
    Texts made(count);
    for (std::string& text : made) {
      text.assign(1 + random() % longest, 'x');
      for (char& byte : text) byte = static_cast<char>(random());
    }
    return made;
  };
  for (const auto& [count, longest] : {std::pair<std::size_t, std::size_t>{0, 1},
                                       {1, 1},
                                       {1'000, 10},
                                       {1'100'000, 1},
                                       {300'000, 9},
                                       {20'000, 300},
                                       {300, 10'000}}) {
    const Texts given = texts(count, longest);
    RankSample sample;
    for (const std::string& text : given) sample.add(text);
    Texts kept;
    const Sample made = sample.finish();
    made.for_each([&](std::string_view text) { kept.emplace_back(text); });
    EXPECT_TRUE(kept == drawn_first(given, kept.size())) << count << " of up to " << longest;
    EXPECT_TRUE(kept.size() == count || made.bytes.size() >= RankSample::kBytes);
    EXPECT_LT(made.bytes.size(), RankSample::kBytes + kLongest);
  }
}

/// The number of tokens that a text is cut into, at least.
std::size_t fewest(const std::set<std::string>& tokens, const std::string& text,
                   std::size_t longest) {
  std::vector<std::size_t> costs(text.size() + 1);
  for (std::size_t begin = text.size(); begin-- > 0;) {
    costs[begin] = SIZE_MAX;
    for (std::size_t size = 1; size <= std::min(longest, text.size() - begin); ++size) {
      if (tokens.contains(text.substr(begin, size)))
        costs[begin] = std::min(costs[begin], costs[begin + size] + 1);
    }
  }
  return costs[0];
}

TEST(Cutter, CutsIntoTheFewestTokens) {
  std::mt19937_64 random(2);
  for (const int letters : {2, 5, 256}) {
    const auto text_of = [&](std::size_t most) {
      std::string text(1 + random() % most, ' ');
      for (char& byte : text) byte = static_cast<char>(random() % letters);
      return text;
    };
    std::set<std::string> tokens;
    for (int letter = 0; letter < letters; ++letter) tokens.emplace(1, static_cast<char>(letter));
    while (tokens.size() < 4096) tokens.insert(text_of(kMaxToken));
    const TokenTexts texts(tokens.begin(), tokens.end());
    const TokenTrie trie(texts);
    Cutter cutter(trie);
    for (int i = 0; i < 300; ++i) {
      const std::string text = text_of(200);
      for (const std::size_t longest : {kMaxToken, std::size_t{2}}) {
        std::vector<std::uint16_t> cut;
        cutter.cut(text, cut, longest);
        std::string joined;
        for (const std::uint16_t token : cut) joined += texts[token];
        ASSERT_EQ(joined, text);
        ASSERT_EQ(cut.size(), fewest(tokens, text, longest));
      }
    }
  }
}

}  // namespace
}  // namespace crivo::dictionary
