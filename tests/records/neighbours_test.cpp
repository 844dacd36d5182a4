// SPDX-License-Identifier: Apache-2.0
// Records of blocks of neighbours come back in any order, however odd they are, and damaged blocks
// do no harm.

#include "records/neighbours.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "crivo/error.hpp"
#include "records/block.hpp"
#include "records/build/neighbour_encoder.hpp"
#include "store_fixture.hpp"

namespace crivo::records {
namespace {

using Block = std::vector<std::string>;

base::Bytes block_of(const Block& texts) {
  base::Bytes raw;
  for (const std::string& text : texts) append_raw_record(raw, {}, text);
  return raw;
}

base::Bytes dictionary_of(const std::vector<Block>& blocks) {
  base::Bytes bytes;
  std::vector<std::size_t> sizes;
  for (const Block& block : blocks) {
    const base::Bytes raw = block_of(block);
    bytes.insert(bytes.end(), raw.begin(), raw.end());
    sizes.push_back(raw.size());
  }
  return train_neighbours({bytes, sizes}, 1);
}

Block similar(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  Block texts;
  for (std::size_t i = 0; i < count; ++i) {
    texts.push_back("{\"package\":\"lib" + std::to_string(seed) + "\",\"version\":\"1." +
                    std::to_string(random() % 4) +
                    "\",\"bytes\":" + std::to_string(random() % 100000) +
                    ",\"maintainer\":\"somebody@example.org\"}");
  }
  return texts;
}

std::vector<Block> hard_blocks() {
  std::mt19937_64 random(7);
  std::vector<Block> blocks;
  for (const std::size_t count : {1U, 2U, 7U, 8U, 9U, 16U, 17U, 64U, 200U})
    blocks.push_back(similar(count, static_cast<unsigned>(count)));
  blocks.push_back(Block(100));  // all empty
  blocks.push_back({"", "a", "", std::string(60'000, 'x'), "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"});
  blocks.push_back({std::string(kMostNeighbourBytes, 'y'), std::string(40'000, 'y') + "z"});
  for (std::size_t size = 0; size < 90; ++size) {
    Block texts = similar(20, 3);
    for (std::string& text : texts)
      text = text.substr(0, size) + test::random_bytes(random, size % 7);
    blocks.push_back(std::move(texts));
  }
  return blocks;
}

TEST(Neighbours, RecordsComeBackInAnyOrder) {
  const std::vector<Block> blocks = hard_blocks();
  std::mt19937_64 random(1);
  for (const base::Bytes& dictionary : {dictionary_of(blocks), dictionary_of({})}) {
    const auto encoding = open_neighbour_encoding(dictionary);
    const auto encoder = encoding->encoder();
    const auto codec = open_neighbours(dictionary);
    for (const Block& block : blocks) {
      const base::Bytes raw = block_of(block);
      base::Bytes stored{std::byte{9}};
      if (!encoder->encode(raw, stored)) {
        EXPECT_EQ(stored.size(), 1U);
        continue;
      }
      EXPECT_LT(stored.size() - 1, raw.size());
      // No larger than it need be: what is written out of bounds is found.
      const auto reader = codec->block_reader(raw.size());
      ASSERT_TRUE(reader->open(base::ByteView(stored).subspan(1),
                               static_cast<std::uint32_t>(block.size())));
      std::vector<std::uint32_t> order(3 * block.size());
      for (std::uint32_t i = 0; i < order.size(); ++i)
        order[i] = i < block.size() ? i : static_cast<std::uint32_t>(random() % block.size());
      for (const std::uint32_t number : order) {
        std::string_view record;
        ASSERT_TRUE(reader->read(number, record)) << number << " of " << block.size();
        ASSERT_EQ(record, block[number]) << number << " of " << block.size();
      }
    }
  }
}

TEST(Neighbours, AlikeRecordsTakeFewBytes) {
  std::vector<Block> blocks;
  for (unsigned seed = 0; seed < 64; ++seed) blocks.push_back(similar(64, seed));
  const base::Bytes dictionary = dictionary_of(blocks);
  const auto encoding = open_neighbour_encoding(dictionary);
  base::Bytes stored;
  ASSERT_TRUE(encoding->encoder()->encode(block_of(blocks[5]), stored));
  EXPECT_LT(stored.size(), 64U * 12);  // of some 85 bytes each
}

TEST(Neighbours, TheExampleOfThePage) {
  base::Bytes dictionary;
  const auto lengths = [&](std::size_t count, int length) {
    dictionary.insert(dictionary.end(), count, static_cast<std::byte>(length));
  };
  lengths(16, 5), lengths(32, 6), lengths(64, 6), lengths(24, 5), lengths(16, 6), lengths(256, 8);
  base::Bytes stored;
  ASSERT_TRUE(open_neighbour_encoding(dictionary)
                  ->encoder()
                  ->encode(block_of({"abcabcabc", "abcabcabd"}), stored));
  std::string hex;
  for (const std::byte byte : stored) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    hex += kDigits[static_cast<unsigned>(byte) / 16];
    hex += kDigits[static_cast<unsigned>(byte) % 16];
  }
  EXPECT_EQ(hex, "0705d8d0c8185500000007d00400");
}

TEST(Neighbours, WhatHasNoFormIsLeftRaw) {
  const base::Bytes dictionary = dictionary_of({similar(64, 1)});
  const auto encoding = open_neighbour_encoding(dictionary);
  const auto encoder = encoding->encoder();
  base::Bytes stored;
  base::Bytes keyed;
  append_raw_record(keyed, "key", similar(1, 1)[0]);
  EXPECT_FALSE(encoder->encode(keyed, stored));
  EXPECT_FALSE(encoder->encode(block_of({std::string(kMostNeighbourBytes + 1, 'x')}), stored));
  EXPECT_FALSE(encoder->encode({}, stored));
  EXPECT_TRUE(stored.empty());
}

// Units have checks: this is of what passes them, by chance or by design.
TEST(Neighbours, DamageDoesNoHarm) {
  const Block block = similar(60, 2);
  const base::Bytes dictionary = dictionary_of({block, similar(60, 3)});
  const auto encoding = open_neighbour_encoding(dictionary);
  base::Bytes stored;
  ASSERT_TRUE(encoding->encoder()->encode(block_of(block), stored));
  const auto codec = open_neighbours(dictionary);
  const std::size_t longest = block_of(block).size();
  const auto reader = codec->block_reader(longest);
  std::mt19937_64 random(3);
  std::size_t refused = 0;
  for (int round = 0; round < 5000; ++round) {
    base::Bytes damaged = stored;
    for (std::size_t i = random() % 4 + 1; i-- > 0;)
      damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    if (random() % 4 == 0) damaged.resize(random() % damaged.size());
    const auto records = static_cast<std::uint32_t>(random() % 8 == 0 ? random() % 9000 : 60);
    bool is_refused = !reader->open(damaged, records);
    for (std::uint32_t i = 0; !is_refused && i < std::min(records, 60U); ++i) {
      std::string_view record;
      is_refused = !reader->read(static_cast<std::uint32_t>(random() % records), record);
      EXPECT_TRUE(is_refused || record.size() <= longest);
    }
    refused += is_refused ? 1 : 0;
  }
  EXPECT_GT(refused, 4000U);
}

TEST(Neighbours, AMalformedDictionaryIsRefused) {
  const base::Bytes good = dictionary_of({similar(64, 1)});
  EXPECT_NO_THROW(open_neighbours(good));
  EXPECT_THROW(open_neighbours({}), Error);
  EXPECT_THROW(open_neighbours(base::ByteView(good).first(Symbols::kSymbols - 1)), Error);
  for (const std::size_t at : {std::size_t{0}, Symbols::kLiteralLengths, Symbols::kSymbols - 1}) {
    for (const int change : {-1, 1, 100}) {
      base::Bytes bad = good;
      bad[at] = static_cast<std::byte>(static_cast<int>(bad[at]) + change);
      EXPECT_THROW(open_neighbours(bad), Error) << at;
    }
  }
}

TEST(Neighbours, TheSampleIsSpreadOverTheRecords) {
  constexpr std::uint64_t kRecords = 100'000;
  NeighbourSample sample(kRecords);
  std::uint64_t taken = 0;
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < kRecords; ++i) {
    if (!sample.wants_next()) continue;
    sample.add(std::string(200, 'r'));
    ++taken;
    last = i;
  }
  EXPECT_GT(last, kRecords - 500);
  EXPECT_GT(taken, kRecords / 4);
  EXPECT_LT(sample.blocks().bytes.size(), std::size_t{9} << 20);
}

}  // namespace
}  // namespace crivo::records
