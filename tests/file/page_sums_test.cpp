// SPDX-License-Identifier: Apache-2.0
// Sums of pages: as the specification has them, and what they find.
#include "file/page_sums.hpp"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <array>

namespace crivo::file::page_sums {
namespace {

constexpr std::uint64_t kHead = layout::kHeaderBytes;

/// A header of zeros, and behind it what no two pages share.
base::Bytes some_file(std::uint64_t end) {
  base::Bytes bytes(end);
  for (std::uint64_t i = kHead; i < end; ++i) bytes[i] = static_cast<std::byte>(i * i >> 9 ^ i);
  return bytes;
}

base::Bytes sums_of(base::ByteView file, std::uint64_t at_once) {
  Writer writer;
  for (std::uint64_t at = kHead; at < file.size(); at += at_once)
    writer.add(file.subspan(at, std::min(at_once, file.size() - at)));
  return writer.finish();
}

TEST(PageSums, AreThoseOfTheSpecification) {
  const hashing::Crc32c sum = hashing::crc32c();
  for (const std::uint64_t end : {kHead + 1, kPageBytes, kPageBytes + 1, 7 * kPageBytes + 5}) {
    const base::Bytes file = some_file(end);
    const base::Bytes sums = sums_of(file, 1000);
    EXPECT_EQ(sums, sums_of(file, 3 * kPageBytes));
    ASSERT_EQ(sums.size(), Shape(end).bytes());
    for (std::uint64_t page = 0; page * kPageBytes < end; ++page) {
      const std::uint64_t begin = std::max(kHead, page * kPageBytes);
      const auto bytes =
          base::ByteView(file).subspan(begin, std::min(end, (page + 1) * kPageBytes) - begin);
      EXPECT_EQ(base::load_le<std::uint32_t>(sums.data() + 4 * page), sum(bytes, page)) << page;
    }
    EXPECT_EQ(check_of(sums, Shape(end)), XXH3_64bits(sums.data(), sums.size()));
  }
}

TEST(PageSums, FindWhatIsOtherInAPage) {
  const std::uint64_t end = 5 * kPageBytes + 77;
  base::Bytes file = some_file(end);
  const base::Bytes sums = sums_of(file, end);
  const Checker checker(file, end, sums);
  EXPECT_EQ(checker.pages(), 6U);
  EXPECT_EQ(checker.pieces(), 0U);
  for (std::uint64_t at = kHead; at < end; at += 61) {
    file[at] ^= std::byte{16};
    for (std::uint64_t page = 0; page < checker.pages(); ++page)
      EXPECT_EQ(checker.is_sound(page), page != at / kPageBytes) << at;
    file[at] ^= std::byte{16};
  }
  std::swap_ranges(file.begin() + kPageBytes, file.begin() + 2 * kPageBytes,
                   file.begin() + 2 * kPageBytes);
  EXPECT_FALSE(checker.is_sound(1) || checker.is_sound(2));  // though both are as they were
}

TEST(PageSums, HaveAListAboveALongOne) {
  const std::uint64_t end = 2500 * kPageBytes + 1;
  const base::Bytes file = some_file(end);
  base::Bytes sums = sums_of(file, end);
  const Shape shape(end);
  ASSERT_EQ(sums.size(), shape.bytes());
  EXPECT_EQ(shape.first, 2501 * 4U);
  EXPECT_EQ(shape.second, 3 * 4U);
  EXPECT_EQ(shape.alignment(), layout::kPageAlignment);
  const Checker checker(file, end, sums);
  const std::uint64_t check = check_of(sums, shape);
  EXPECT_EQ(check, XXH3_64bits(sums.data() + shape.first, shape.second));
  for (std::uint64_t at = 0; at < sums.size(); at += 37) {
    sums[at] ^= std::byte{1};
    EXPECT_EQ(checker.has_check(check), at < shape.first);
    if (at < shape.first) {
      for (std::uint64_t piece = 0; piece < checker.pieces(); ++piece)
        EXPECT_EQ(checker.is_sound_piece(piece), piece != at / kPieceBytes);
      EXPECT_FALSE(checker.is_sound(at / 4));
      EXPECT_EQ(Checker::piece_of(at / 4), at / kPieceBytes);
    }
    sums[at] ^= std::byte{1};
  }
}

TEST(PageSums, LeaveOutPagesOfRecordsAlone) {
  const std::uint64_t end = 6 * kPageBytes;
  const base::Bytes file = some_file(end);
  const std::uint64_t begin = 2 * kPageBytes - 9;
  const std::uint64_t behind = 4 * kPageBytes + 9;
  Writer writer;
  const base::ByteView all(file);
  writer.add(all.subspan(kHead, begin - kHead));
  writer.skip(all.subspan(begin, behind - begin));
  writer.add(all.subspan(behind));
  base::Bytes expected = sums_of(file, end);
  std::fill_n(expected.begin() + 2 * 4, 2 * 4, std::byte{0});
  EXPECT_EQ(writer.finish(), expected);
}

}  // namespace
}  // namespace crivo::file::page_sums
