// SPDX-License-Identifier: Apache-2.0
// Varints, blocks and groups give back what they were made of, and nothing outside of them.

#include "records/backends/lmdb/group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "records/backends/lmdb/build/group_builder.hpp"
#include "records/block.hpp"
#include "store_fixture.hpp"
#include "support/sizes.hpp"

namespace crivo::records {
namespace {

TEST(Varint, RoundTripsAndRefusesWhatIsCutOffOrTooLarge) {
  for (const std::uint32_t value : {0U, 1U, 127U, 128U, 16383U, 16384U, 2097151U, 2097152U,
                                    268435455U, 268435456U, 0xffffffffU}) {
    base::Bytes bytes;
    base::append_varint(bytes, value);
    EXPECT_EQ(bytes.size(), base::varint_size(value));
    base::ByteView view = bytes;
    std::uint32_t read = 0;
    ASSERT_TRUE(base::take_varint(view, read));
    EXPECT_EQ(read, value);
    EXPECT_TRUE(view.empty());
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
      view = base::ByteView(bytes).first(cut);
      EXPECT_FALSE(base::take_varint(view, read));
    }
  }
  const base::Bytes too_large = {std::byte{0xff}, std::byte{0xff}, std::byte{0xff}, std::byte{0xff},
                                 std::byte{0x10}};
  base::ByteView view = too_large;
  std::uint32_t read = 0;
  EXPECT_FALSE(base::take_varint(view, read));
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

// Units of up to 500 random bytes, of one record each or of up to `most_records`.
struct TestGroup {
  std::vector<std::string> stored;
  std::vector<std::uint32_t> records;
  std::uint64_t first_rank = 1000;
  std::uint64_t last_rank = first_rank - 1;
  base::Bytes bytes;

  explicit TestGroup(std::uint32_t most_records) {
    std::mt19937_64 random(5);
    GroupBuilder builder;
    while (true) {
      const std::string content = test::random_bytes(random, random() % 500);
      const EncodedUnit unit{.first_rank = last_rank + 1,
                             .records = static_cast<std::uint32_t>(1 + random() % most_records),
                             .stored = base::as_bytes(content)};
      if (!builder.fits(unit)) break;
      builder.add(unit);
      stored.push_back(content);
      records.push_back(unit.records);
      last_rank += unit.records;
    }
    bytes = builder.finish();
    EXPECT_TRUE(builder.empty());
  }
};

class Group : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Group, FindsTheUnitOfEveryRank) {
  const TestGroup group(GetParam());
  EXPECT_LE(group.bytes.size(), kGroupTarget);
  EXPECT_GT(group.bytes.size(), kGroupTarget - 600);
  GroupReader reader;
  ASSERT_TRUE(reader.open(group.bytes, group.last_rank));
  EXPECT_EQ(reader.first_rank(), group.first_rank);
  EXPECT_EQ(reader.units(), group.stored.size());
  std::uint64_t rank = group.first_rank;
  GroupReader::Unit unit;
  for (std::size_t u = 0; u < group.stored.size(); ++u) {
    const std::uint64_t first = rank;
    for (std::uint32_t i = 0; i < group.records[u]; ++i, ++rank) {
      ASSERT_TRUE(reader.find(rank, unit));
      EXPECT_EQ(unit.first_rank, first);
      EXPECT_EQ(unit.records, group.records[u]);
      EXPECT_EQ(base::as_text(unit.stored), group.stored[u]);
    }
  }
  EXPECT_EQ(rank, group.last_rank + 1);
  EXPECT_FALSE(reader.find(group.first_rank - 1, unit));
  EXPECT_FALSE(reader.find(group.last_rank + 1, unit));
}

// Every unit that is found lies in the group, whatever its directory holds; that it is the right
// one, its check tells (unit_test.cpp).
TEST_P(Group, FindsNothingOutsideItWhateverItsDirectoryHolds) {
  const TestGroup group(GetParam());
  std::mt19937_64 random(6);
  for (int i = 0; i < 3000 / test::kFewer; ++i) {
    base::Bytes bytes = group.bytes;
    if (i % 3 == 0) bytes.resize(random() % 300);
    for (int flips = 0; flips < 3 && !bytes.empty(); ++flips) {
      bytes[random() % std::min<std::size_t>(bytes.size(), 200)] = static_cast<std::byte>(random());
    }
    GroupReader reader;
    if (!reader.open(bytes, group.last_rank)) continue;
    for (std::uint64_t rank = reader.first_rank(); rank <= group.last_rank; rank += 7) {
      GroupReader::Unit unit;
      if (!reader.find(rank, unit)) continue;
      ASSERT_LE(unit.first_rank, rank);
      ASSERT_GT(unit.first_rank + unit.records, rank);
      if (unit.stored.empty()) continue;
      ASSERT_GE(unit.stored.data(), bytes.data());
      ASSERT_LE(unit.stored.data() + unit.stored.size(), bytes.data() + bytes.size());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ByRecordAndByBlock, Group, testing::Values(1, 9, 400));

// One unit longer than what two bytes tell the place of.
TEST(GroupBuilder, MayBeOneLongUnit) {
  const std::string content(200'000, 'c');
  GroupBuilder builder;
  builder.add({.first_rank = 7, .records = 8000, .stored = base::as_bytes(content)});
  const base::Bytes bytes = builder.finish();
  GroupReader reader;
  ASSERT_TRUE(reader.open(bytes, 8006));
  GroupReader::Unit unit;
  for (const std::uint64_t rank : {7U, 4000U, 8006U}) {
    ASSERT_TRUE(reader.find(rank, unit));
    EXPECT_EQ(unit.first_rank, 7U);
    EXPECT_EQ(base::as_text(unit.stored), content);
  }
}

}  // namespace
}  // namespace crivo::records
