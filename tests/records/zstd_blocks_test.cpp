// SPDX-License-Identifier: Apache-2.0
// Dictionaries of Zstandard are trained where they save space, and damaged frames are refused.

#include "records/zstd_blocks.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "records/block.hpp"
#include "records/build/zstd_encoder.hpp"
#include "store_fixture.hpp"

namespace crivo::records {
namespace {

// Blocks of about `size` bytes of text records, one after the other.
struct Blocks {
  base::Bytes bytes;
  std::vector<std::size_t> sizes;

  Blocks(std::size_t records, std::size_t size, std::uint64_t seed) {
    std::size_t start = 0;
    for (const auto& [key, record] : test::text_records(records, seed)) {
      append_raw_record(bytes, key, record.substr(0, 100));
      if (bytes.size() - start > size) {
        sizes.push_back(bytes.size() - start);
        start = bytes.size();
      }
    }
    bytes.resize(start);
  }
};

TEST(Dictionary, SavesSpaceOnBlocksThatItWasNotTrainedOn) {
  const Blocks training(20000, 1000, 1);
  const base::Bytes dictionary = train_dictionary(training.bytes, training.sizes);
  ASSERT_GT(dictionary.size(), 1000U);
  EXPECT_LE(dictionary.size(), kMaxDictionary);
  EXPECT_EQ(train_dictionary(training.bytes, training.sizes), dictionary);  // deterministic
  const Blocks others(2000, 1000, 9);
  std::size_t with = 0;
  std::size_t without = 0;
  base::Bytes stored;
  const auto prepared = open_zstd(dictionary);
  const auto dictionary_encoding = open_zstd_encoding(dictionary);
  const auto plain = open_zstd_encoding({});
  const auto dictionary_encoder = dictionary_encoding->encoder();
  const auto plain_encoder = plain->encoder();
  const auto decoder = prepared->decoder(4096);
  base::ByteView rest = others.bytes;
  for (const std::size_t size : others.sizes) {
    const base::ByteView raw = rest.first(size);
    rest = rest.subspan(size);
    stored.clear();
    ASSERT_TRUE(plain_encoder->encode(raw, stored));
    without += stored.size();
    stored.clear();
    ASSERT_TRUE(dictionary_encoder->encode(raw, stored));
    with += stored.size();
    base::ByteView back;
    ASSERT_TRUE(decoder->decode(stored, back));
    ASSERT_EQ(base::as_text(back), base::as_text(raw));
  }
  EXPECT_LT(with, without * 9 / 10);
}

TEST(Dictionary, IsOmittedWhereItDoesNotHelp) {
  EXPECT_TRUE(train_dictionary({}, {}).empty());
  const Blocks few(60, 1000, 1);
  ASSERT_LT(few.sizes.size(), 16U);
  EXPECT_TRUE(train_dictionary(few.bytes, few.sizes).empty());
  std::mt19937_64 random(6);
  const std::string noise = test::random_bytes(random, 400'000);
  const std::vector<std::size_t> sizes(200, 2000);
  EXPECT_TRUE(train_dictionary(base::as_bytes(noise), sizes).empty());
}

TEST(Zstd, LeavesWhatDoesNotCompress) {
  std::mt19937_64 random(7);
  const auto encoding = open_zstd_encoding({});
  const auto encoder = encoding->encoder();
  for (const std::size_t size : {0, 1, 2, 10, 2000}) {
    const std::string raw = test::random_bytes(random, size);
    base::Bytes stored(3);
    EXPECT_FALSE(encoder->encode(base::as_bytes(raw), stored));
    EXPECT_EQ(stored, base::Bytes(3));
  }
}

TEST(Zstd, RefusesWhatIsNoFrameOrTooLong) {
  const auto codec = open_zstd({});
  const std::string raw(1500, 'a');
  base::Bytes stored;
  ASSERT_TRUE(open_zstd_encoding({})->encoder()->encode(base::as_bytes(raw), stored));
  ASSERT_LT(stored.size(), 100U);
  const auto decoder = codec->decoder(1500);
  base::ByteView back;
  EXPECT_TRUE(decoder->decode(stored, back));
  EXPECT_EQ(base::as_text(back), raw);
  EXPECT_FALSE(codec->decoder(1499)->decode(stored, back));
  for (std::size_t cut = 0; cut < stored.size(); ++cut) {
    const base::Bytes part(stored.begin(), stored.begin() + static_cast<std::ptrdiff_t>(cut));
    EXPECT_FALSE(decoder->decode(part, back));
  }
  for (std::size_t i = 0; i < 4; ++i) {
    stored[i] ^= std::byte{1};
    EXPECT_FALSE(decoder->decode(stored, back));
    stored[i] ^= std::byte{1};
  }
}

}  // namespace
}  // namespace crivo::records
