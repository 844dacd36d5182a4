// SPDX-License-Identifier: Apache-2.0
/// Which codec is chosen for which goal, and that the choice depends on the records alone.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "records/build/encoding.hpp"
#include "records/build/record_sample.hpp"

namespace crivo::records {
namespace {

using MakeText = std::string (*)(int number);

// The codec for records of these texts.
RecordCoding chosen(Goal goal, MakeText text, int records = 400) {
  RecordSample sample({.codec = {}, .goal = goal});
  for (int i = 0; i < records && !sample.is_full(); ++i)
    sample.add("key" + std::to_string(i), text(i));
  return sample.coding(static_cast<std::uint64_t>(records) * 1000);
}

// Words that one record repeats, and no other has: no token of all records stands for them.
std::string long_text(int number) {
  std::mt19937 random(static_cast<unsigned>(number));
  std::vector<std::string> words(40);
  for (std::string& word : words) {
    for (int i = 0; i < 12; ++i) word += static_cast<char>('a' + random() % 26);
  }
  std::string text;
  while (text.size() < 20'000) text += words[random() % words.size()] + ' ';
  return text;
}

// What all records share.
std::string short_text(int number) {
  return R"({"status":"active","owner":"somebody@example.org","number":)" + std::to_string(number) +
         "}";
}

std::string noise(int number) {
  std::mt19937 random(static_cast<unsigned>(number));
  std::string text(1000, '-');
  for (char& each : text) each = static_cast<char>(random());
  return text;
}

TEST(CodecChoice, LongRecordsThatRepeatThemselvesGetZstd) {
  const RecordCoding balanced = chosen(Goal::balanced, long_text);
  EXPECT_EQ(balanced.codec, CodecId::zstd);
  EXPECT_EQ(balanced.block_bytes, kLeastBlock);
  const RecordCoding size = chosen(Goal::size, long_text);
  EXPECT_EQ(size.codec, CodecId::zstd);
  EXPECT_EQ(size.block_bytes, kMostBlock);
  EXPECT_NE(chosen(Goal::speed, long_text).codec, CodecId::zstd);
}

TEST(CodecChoice, ShortRecordsThatAreAlikeGetTokens) {
  const RecordCoding coding = chosen(Goal::balanced, short_text, 20'000);
  EXPECT_TRUE(coding.codec == CodecId::tokens12 || coding.codec == CodecId::tokens16);
  EXPECT_EQ(coding.block_bytes, 0U);
}

TEST(CodecChoice, WhatDoesNotRepeatStaysRaw) {
  for (const Goal goal : {Goal::smallest, Goal::size, Goal::balanced, Goal::speed}) {
    const RecordCoding coding = chosen(goal, noise);
    EXPECT_EQ(coding.codec, CodecId::none);
    EXPECT_TRUE(coding.dictionary.empty());
  }
}

TEST(CodecChoice, TheChosenOneIsNearestToTheGoal) {
  constexpr double kNearest = 1.05;
  for (const MakeText text : {long_text, short_text, noise}) {
    const auto of = [](const RecordCoding& coding) {
      for (const CodecTrial& each : coding.candidates) {
        if (each.codec == coding.codec) return each;
      }
      return CodecTrial{};
    };
    const RecordCoding size = chosen(Goal::size, text);
    ASSERT_GE(size.candidates.size(), 3U);
    for (const CodecTrial& each : size.candidates) EXPECT_LE(of(size).bytes, kNearest * each.bytes);
    const RecordCoding speed = chosen(Goal::speed, text);
    for (const CodecTrial& each : speed.candidates)
      EXPECT_LE(of(speed).hit_cost, kNearest * each.hit_cost);
  }
}

TEST(CodecChoice, NoRecordsStayRaw) {
  for (const Goal goal : {Goal::smallest, Goal::size, Goal::balanced, Goal::speed})
    EXPECT_EQ(chosen(goal, noise, 0).codec, CodecId::none);
}

}  // namespace
}  // namespace crivo::records
