#include "records/zstd_blocks.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "records/block.hpp"
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
  const CompressionDictionary prepared(dictionary);
  const CompressionDictionary none({});
  BlockCompressor dictionary_compressor(prepared);
  BlockCompressor plain_compressor(none);
  const DecompressionDictionary decompression(dictionary);
  BlockDecompressor decompressor(decompression, 4096);
  base::ByteView rest = others.bytes;
  for (const std::size_t size : others.sizes) {
    const base::ByteView raw = rest.first(size);
    rest = rest.subspan(size);
    plain_compressor.compress(raw, stored);
    without += stored.size();
    dictionary_compressor.compress(raw, stored);
    with += stored.size();
    base::ByteView back;
    ASSERT_TRUE(decompressor.decompress(stored, size, back));
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

TEST(Codec, StoresRawWhatDoesNotCompress) {
  std::mt19937_64 random(7);
  const CompressionDictionary none({});
  BlockCompressor compressor(none);
  const DecompressionDictionary decompression({});
  BlockDecompressor decompressor(decompression, 1);  // raw blocks need no buffer
  for (const std::size_t size : {0, 1, 2, 10, 2000}) {
    const std::string raw = test::random_bytes(random, size);
    base::Bytes stored;
    compressor.compress(base::as_bytes(raw), stored);
    EXPECT_EQ(base::as_text(stored), raw);
    base::ByteView back;
    ASSERT_TRUE(decompressor.decompress(stored, size, back));
    EXPECT_EQ(base::as_text(back), raw);
  }
}

TEST(Codec, RefusesWhatIsNoFrameOfTheLengthNamed) {
  const CompressionDictionary none({});
  BlockCompressor compressor(none);
  const std::string raw(1500, 'a');
  base::Bytes stored;
  compressor.compress(base::as_bytes(raw), stored);
  ASSERT_LT(stored.size(), 100U);
  const DecompressionDictionary decompression({});
  BlockDecompressor decompressor(decompression, 2000);
  base::ByteView back;
  EXPECT_TRUE(decompressor.decompress(stored, 1500, back));
  EXPECT_FALSE(decompressor.decompress(stored, 1499, back));
  EXPECT_FALSE(decompressor.decompress(stored, 1501, back));
  EXPECT_FALSE(decompressor.decompress(stored, 2001, back));  // longer than the buffer
  for (std::size_t cut = 0; cut < stored.size(); ++cut) {
    const base::Bytes part(stored.begin(), stored.begin() + static_cast<std::ptrdiff_t>(cut));
    EXPECT_FALSE(decompressor.decompress(part, 1500, back));
  }
  for (std::size_t i = 0; i < 4; ++i) {
    stored[i] ^= std::byte{1};
    EXPECT_FALSE(decompressor.decompress(stored, 1500, back));
    stored[i] ^= std::byte{1};
  }
}

}  // namespace
}  // namespace crivo::records
