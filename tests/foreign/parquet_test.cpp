// SPDX-License-Identifier: Apache-2.0
// Parts of Parquet's files: what Snappy and Thrift may hold, and filters of values that repeat.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "crivo/build/foreign.hpp"
#include "crivo/error.hpp"
#include "foreign/build/parquet_pages.hpp"
#include "foreign/parquet_file.hpp"
#include "foreign/thrift.hpp"
#include "support/errors.hpp"

namespace crivo::foreign {
namespace {

base::Bytes bytes_of(std::initializer_list<int> numbers) {
  base::Bytes bytes;
  for (const int number : numbers) bytes.push_back(static_cast<std::byte>(number));
  return bytes;
}

bool unpacks(const base::Bytes& page, const std::string& expected) {
  base::Bytes room(expected.size());
  return parquet::unpack_snappy(page, room) && base::as_text(room) == expected;
}

TEST(Snappy, UnpacksLiteralsAndCopies) {
  EXPECT_TRUE(unpacks(bytes_of({4, 3 << 2, 'a', 'b', 'c', 'd'}), "abcd"));
  // A copy of 7 that repeats what it writes, by each width of its distance.
  EXPECT_TRUE(unpacks(bytes_of({9, 1 << 2, 'a', 'b', 1 | 3 << 2, 2}), "ababababa"));
  EXPECT_TRUE(unpacks(bytes_of({9, 1 << 2, 'a', 'b', 2 | 6 << 2, 2, 0}), "ababababa"));
  EXPECT_TRUE(unpacks(bytes_of({9, 1 << 2, 'a', 'b', 3 | 6 << 2, 2, 0, 0, 0}), "ababababa"));
  EXPECT_TRUE(unpacks(bytes_of({2, 60 << 2, 1, 'x', 'y'}), "xy"));
}

TEST(Snappy, RefusesWhatIsNone) {
  const std::string four = "abcd";
  EXPECT_FALSE(unpacks({}, four));
  EXPECT_FALSE(unpacks(bytes_of({5, 3 << 2, 'a', 'b', 'c', 'd'}), four));    // another length
  EXPECT_FALSE(unpacks(bytes_of({4, 4 << 2, 'a', 'b', 'c', 'd'}), four));    // beyond its end
  EXPECT_FALSE(unpacks(bytes_of({4, 3 << 2, 'a', 'b'}), four));              // cut short
  EXPECT_FALSE(unpacks(bytes_of({4, 2 << 2, 'a', 'b', 'c'}), four));         // too few
  EXPECT_FALSE(unpacks(bytes_of({4, 0, 'a', 1 | 0 << 2, 0}), four));         // no distance
  EXPECT_FALSE(unpacks(bytes_of({4, 0, 'a', 2 | 2 << 2, 2, 0}), four));      // before the first
  EXPECT_FALSE(unpacks(bytes_of({4, 0, 'a', 2 | 63 << 2, 1, 0}), four));     // too long
  EXPECT_FALSE(unpacks(bytes_of({0xff, 0xff, 0xff, 0xff, 0xff, 1}), four));  // no length
  EXPECT_FALSE(unpacks(bytes_of({4, 63 << 2, 0xff, 0xff, 0xff, 0xff}), four));
}

TEST(Thrift, WritesFieldsThatNobodyKnowsAsTheyWere) {
  const std::string name = "bytes";
  // A flag, a double, a map of a text and a flag, a set of two numbers, a field of number 300.
  const base::Bytes bytes =
      bytes_of({0x11, 0x17, 1, 2,    3,    4, 5, 6,    7,    8,    0x1b, 1, 0x82,
                1,    'k',  1, 0x1a, 0x25, 2, 4, 0x05, 0xd8, 0x04, 7,    0});
  thrift::Structure all(bytes, name);
  EXPECT_EQ(all.encode(), bytes);
  EXPECT_EQ(all.flag(1), true);
  EXPECT_EQ(all.integer(300), -4);
  const base::Bytes value = thrift::encode_integer(INT64_MIN);
  all.set(5, thrift::Type::i64, value);
  const base::Bytes written = all.encode();
  const thrift::Structure again(written, name);
  EXPECT_EQ(again.integer(5), INT64_MIN);
  EXPECT_EQ(again.integer(300), -4);
}

TEST(Thrift, RefusesWhatIsNone) {
  const std::string name = "bytes";
  for (const base::Bytes& bytes :
       {bytes_of({}), bytes_of({0x15}), bytes_of({0x1d, 0}), bytes_of({0x18, 0x7f, 0}),
        bytes_of({0x19, 0xf5, 0xff, 0xff, 0x7f, 0}), base::Bytes(100, std::byte{0x1c}),
        base::Bytes(2000, std::byte{0x11}),
        bytes_of({0x16, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0})})
    EXPECT_NE(test::error_of(ErrorKind::corrupt, [&] { thrift::Structure(bytes, name); }), "");
}

TEST(Thrift, RefusesListsThatWouldTakeFarMoreThanTheirBytes) {
  const std::string name = "bytes";
  constexpr std::size_t kMost = std::size_t{1} << 20;
  for (const std::size_t count : {kMost, kMost + 1}) {
    const std::vector<base::Bytes> empty(count, base::Bytes(1));
    const base::Bytes list = thrift::encode_list(thrift::Type::structure, empty);
    thrift::Structure all(base::Bytes(1), name);
    all.set(1, thrift::Type::list, list);
    const auto read = [&] { return all.list(1, thrift::Type::structure); };
    if (count == kMost) {
      EXPECT_EQ(read().size(), kMost);
    } else {
      EXPECT_NE(test::error_of(ErrorKind::corrupt, [&] { (void)read(); }), "");
    }
  }
}

TEST(ParquetFilter, IsFoldedToWhatItsValuesNeed) {
  std::size_t before = 0;
  for (const std::uint64_t distinct : {0U, 10U, 1'000U, 100'000U}) {
    ParquetFilter filter(100'000, 0.01);
    for (std::uint64_t i = 0; i < 100'000 && distinct != 0; ++i)
      filter.add(std::to_string(i % distinct));
    const std::vector<std::byte> bytes = filter.finish();
    EXPECT_LE(bytes.size(), 64 + 3 * distinct);
    EXPECT_GT(bytes.size(), before);
    before = bytes.size() < 64 ? 0 : bytes.size();
  }
  EXPECT_NE(test::error_of(ErrorKind::usage, [] { ParquetFilter(10, 0x1p-25); }), "");
  EXPECT_NE(test::error_of(ErrorKind::usage, [] { ParquetFilter(10, 1); }), "");
  EXPECT_NE(test::error_of(ErrorKind::usage, [] { ParquetFilter(UINT64_MAX, 0.01); }), "");
}

}  // namespace
}  // namespace crivo::foreign
