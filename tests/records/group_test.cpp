#include "records/group.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "records/block.hpp"
#include "store_fixture.hpp"

namespace crivo::records {
namespace {

TEST(Varint, RoundTripsAndRefusesWhatIsCutOffOrTooLarge) {
  for (const std::uint32_t value : {0U, 1U, 127U, 128U, 16383U, 16384U, 2097151U, 2097152U,
                                    268435455U, 268435456U, 0xffffffffU}) {
    base::Bytes bytes;
    bits::append_varint(bytes, value);
    EXPECT_EQ(bytes.size(), bits::varint_size(value));
    base::ByteView view = bytes;
    std::uint32_t read = 0;
    ASSERT_TRUE(bits::take_varint(view, read));
    EXPECT_EQ(read, value);
    EXPECT_TRUE(view.empty());
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
      view = base::ByteView(bytes).first(cut);
      EXPECT_FALSE(bits::take_varint(view, read));
    }
  }
  const base::Bytes too_large = {std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff},
                                 std::byte{0x10}};
  base::ByteView view = too_large;
  std::uint32_t read = 0;
  EXPECT_FALSE(bits::take_varint(view, read));
}

TEST(Block, GivesItsRecordsBackAndRefusesEveryCut) {
  const test::Records records = test::text_records(50);
  base::Bytes block;
  std::uint64_t size = 0;
  for (const auto& [key, record] : records) {
    append_raw_record(block, key, record);
    size += raw_record_size(key, record);
  }
  EXPECT_EQ(block.size(), size);
  for (std::size_t cut = 0; cut <= block.size(); ++cut) {
    const base::Bytes part(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(cut));
    base::ByteView rest = part;
    std::size_t read = 0;
    std::string_view key;
    std::string_view record;
    while (!rest.empty() && take_raw_record(rest, key, record)) {
      ASSERT_EQ(key, records[read].first);
      ASSERT_EQ(record, records[read].second);
      ++read;
    }
    EXPECT_EQ(read == records.size(), cut == block.size());
  }
}

// Blocks of random bytes: 1 to 9 records and up to 500 bytes each.
struct TestGroup {
  std::vector<std::string> stored;
  std::vector<std::uint32_t> records;
  std::uint64_t first_rank = 1000;
  std::uint64_t last_rank = first_rank - 1;
  base::Bytes bytes;

  TestGroup() {
    std::mt19937_64 random(5);
    GroupBuilder builder;
    while (true) {
      const std::string content = test::random_bytes(random, random() % 500);
      const StoredBlock block{.records = static_cast<std::uint32_t>(1 + random() % 9),
                              .raw_size = static_cast<std::uint32_t>(content.size() + 10),
                              .stored = base::as_bytes(content)};
      if (!builder.fits(block)) break;
      builder.add(block, last_rank + 1);
      stored.push_back(content);
      records.push_back(block.records);
      last_rank += block.records;
    }
    bytes = builder.finish(last_rank);
    EXPECT_TRUE(builder.empty());
  }
};

TEST(Group, FindsTheBlockOfEveryRank) {
  const TestGroup group;
  EXPECT_LE(group.bytes.size(), kGroupTarget);
  EXPECT_GT(group.bytes.size(), kGroupTarget - 600);
  GroupReader reader;
  ASSERT_TRUE(reader.open(group.bytes, group.last_rank));
  EXPECT_TRUE(reader.is_complete());
  EXPECT_EQ(reader.first_rank(), group.first_rank);
  EXPECT_EQ(reader.blocks(), group.stored.size());
  std::uint64_t rank = group.first_rank;
  GroupReader::Block block;
  for (std::size_t b = 0; b < group.stored.size(); ++b) {
    const std::uint64_t first = rank;
    for (std::uint32_t i = 0; i < group.records[b]; ++i, ++rank) {
      ASSERT_TRUE(reader.find(rank, block));
      EXPECT_EQ(block.first_rank, first);
      EXPECT_EQ(block.data.records, group.records[b]);
      EXPECT_EQ(block.data.raw_size, group.stored[b].size() + 10);
      EXPECT_EQ(base::as_text(block.data.stored), group.stored[b]);
    }
  }
  EXPECT_EQ(rank, group.last_rank + 1);
  EXPECT_FALSE(reader.find(group.first_rank - 1, block));
  EXPECT_FALSE(reader.find(group.last_rank + 1, block));
}

TEST(Group, KnowsThatItStandsInAnothersPlace) {
  const TestGroup group;
  GroupReader reader;
  EXPECT_FALSE(reader.open(group.bytes, group.last_rank + 1));
}

// Reads every rank; whatever a block claims to be must be what was stored.
void expect_no_wrong_block(const TestGroup& group, base::ByteView bytes, bool& complete) {
  GroupReader reader;
  complete = reader.open(bytes, group.last_rank) && reader.is_complete();
  if (!reader.open(bytes, group.last_rank)) return;
  std::uint64_t rank = group.first_rank;
  for (std::size_t b = 0; b < group.stored.size(); ++b) {
    GroupReader::Block block;
    if (!reader.find(rank, block)) {
      complete = false;
    } else {
      ASSERT_EQ(base::as_text(block.data.stored), group.stored[b]);
    }
    rank += group.records[b];
  }
}

TEST(Group, NoticesEveryFlippedByteAndEveryCut) {
  const TestGroup group;
  bool complete = false;
  expect_no_wrong_block(group, group.bytes, complete);
  EXPECT_TRUE(complete);
  base::Bytes bytes = group.bytes;
  for (std::size_t i = 0; i < bytes.size(); i += i < 400 ? 1 : 7) {
    bytes[i] ^= std::byte{0x41};
    expect_no_wrong_block(group, bytes, complete);
    EXPECT_FALSE(complete) << "byte " << i;
    bytes[i] ^= std::byte{0x41};
  }
  for (std::size_t cut = 0; cut < bytes.size(); cut += cut < 400 ? 1 : 13) {
    const base::Bytes part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(cut));
    expect_no_wrong_block(group, part, complete);
    EXPECT_FALSE(complete) << "cut to " << cut;
  }
}

}  // namespace
}  // namespace crivo::records
