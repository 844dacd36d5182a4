// SPDX-License-Identifier: Apache-2.0
// Damaged sections are refused, or answer without reading outside them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "crivo/error.hpp"
#include "structures/csf/function.hpp"
#include "support/coded.hpp"
#include "support/hashes.hpp"

namespace crivo::csf {
namespace {

using test::build_coded;
using test::random_hashes;

/// Opens and, if that succeeds, looks keys up: under the sanitizers, no read may leave the section.
/// The copy stands at the end of its own allocation.
bool opens(base::ByteView section, const std::vector<Hash128>& keys) {
  const base::Bytes copy(section.begin(), section.end());
  try {
    const Function function(base::ByteView{copy});
    std::vector<std::uint64_t> batch(keys.size());
    function.values(keys, batch.data());
    for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(function.value(keys[i]), batch[i]);
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
    return false;
  }
}

/// Sections with every part that there can be.
std::vector<base::Bytes> sections() {
  std::vector<base::Bytes> result;
  for (const std::uint64_t n : {0U, 1U, 3000U}) {
    const auto hashes = stream::SortedHashes::from_unsorted(random_hashes(n));
    for (const auto& set : test::distributions(n)) {
      result.push_back(build_coded(hashes, set.values));
    }
  }
  return result;
}

TEST(CorruptFunction, TruncationsAndExtensionsAreRefused) {
  const auto others = random_hashes(40, 3);
  for (const base::Bytes& section : sections()) {
    const std::size_t step = std::max<std::size_t>(1, section.size() / 60);
    for (std::size_t length = 0; length < section.size(); length += step) {
      EXPECT_FALSE(opens(base::ByteView(section).first(length), others)) << length;
    }
    EXPECT_FALSE(opens(base::ByteView(section).first(section.size() - 1), others));
    base::Bytes longer = section;
    for (const std::size_t more : {1U, 40U, 64U}) {
      longer.resize(section.size() + more);
      EXPECT_FALSE(opens(longer, others));
    }
  }
}

TEST(CorruptFunction, EveryChangedByteIsRefusedOrHarmless) {
  const auto others = random_hashes(40, 3);
  for (const base::Bytes& section : sections()) {
    const std::size_t levels = std::to_integer<std::size_t>(section[17]);
    const std::size_t entries = section.size() - levels * kEntryBytes;
    const std::size_t step = std::max<std::size_t>(1, section.size() / 400);
    for (std::size_t at = 0; at < section.size(); ++at) {
      const bool field = at < kHeaderBytes + 160 || at + 160 >= entries;
      if (!field && at % step != 0) continue;
      for (const unsigned change : {0x01U, 0x80U, 0xffU}) {
        base::Bytes changed = section;
        changed[at] ^= static_cast<std::byte>(change);
        const bool opened = opens(changed, others);
        if (at >= 19 && at < kHeaderBytes) {
          EXPECT_FALSE(opened) << at;  // reserved
        }
      }
    }
  }
}

/// One level of codewords behind a filter, then one of plain values.
base::Bytes two_levels() {
  const std::uint64_t n = 4000;
  auto values = test::two_values(n, 0.1, 5, 0);
  for (std::uint64_t i = 0; i < n; ++i) {
    if (values[i] == 0) values[i] = base::mix64(i);
  }
  return build_coded(stream::SortedHashes::from_unsorted(random_hashes(n)), values);
}

template <typename Int>
bool refused(std::size_t at, Int field) {
  base::Bytes changed = two_levels();
  base::store_le(changed.data() + at, field);
  return !opens(changed, random_hashes(100, 3));
}

TEST(CorruptFunction, FieldsMustBelongTogether) {
  const base::Bytes section = two_levels();
  ASSERT_EQ(std::to_integer<unsigned>(section[17]), 2U);
  const std::size_t first = section.size() - 2 * kEntryBytes;
  const std::size_t second = section.size() - kEntryBytes;
  ASSERT_TRUE(opens(section, random_hashes(100, 3)));
  ASSERT_NE(std::to_integer<unsigned>(section[first + 1]), 0U);
  EXPECT_TRUE(refused(0, std::uint64_t{0}));   // no keys, two levels
  EXPECT_TRUE(refused(8, UINT64_MAX));         // entropy
  EXPECT_TRUE(refused(16, std::uint8_t{65}));  // width
  EXPECT_TRUE(refused(17, std::uint8_t{33}));  // levels
  EXPECT_TRUE(refused(17, std::uint8_t{0}));
  EXPECT_TRUE(refused(18, std::uint8_t{1}));  // partitions
  EXPECT_TRUE(refused(18, std::uint8_t{32}));
  EXPECT_TRUE(refused(18, std::uint8_t{33}));
  EXPECT_TRUE(refused(first, std::uint8_t{3}));  // kind
  EXPECT_TRUE(refused(first, std::uint8_t{1}));
  EXPECT_TRUE(refused(second, std::uint8_t{2}));
  EXPECT_TRUE(refused(first + 1, std::uint8_t{31}));  // filter bits
  EXPECT_TRUE(refused(first + 1, std::uint8_t{0}));
  EXPECT_TRUE(refused(first + 2, std::uint8_t{17}));  // its slices
  EXPECT_TRUE(refused(first + 2, std::uint8_t{16}));
  EXPECT_TRUE(refused(first + 2, std::uint8_t{1}));
  EXPECT_TRUE(refused(first + 3, std::uint8_t{6}));  // its buckets
  EXPECT_TRUE(refused(first + 3, std::uint8_t{10}));
  EXPECT_TRUE(refused(first + 4, std::uint8_t{0}));  // the longest codeword
  EXPECT_TRUE(refused(first + 4, std::uint8_t{30}));
  EXPECT_TRUE(refused(first + 7, std::uint8_t{1}));   // reserved
  EXPECT_TRUE(refused(first + 8, std::uint32_t{0}));  // codewords
  EXPECT_TRUE(refused(first + 8, UINT32_MAX));
  EXPECT_TRUE(refused(first + 12, UINT32_MAX));  // the escape
  EXPECT_TRUE(refused(first + 12, std::uint32_t{2}));
  EXPECT_TRUE(refused(second + 12, std::uint32_t{0}));
  EXPECT_TRUE(refused(second + 16, std::uint64_t{1}));  // a value dominant for no filter
}

/// The entry of the only partition of two_levels(): its plain section, a filter and codes.
TEST(CorruptFunction, PartitionsMustFillTheSection) {
  const base::Bytes section = two_levels();
  ASSERT_EQ(std::to_integer<unsigned>(section[18]), 0U);
  const std::size_t entry = section.size() - 2 * kEntryBytes - 16 - 2 * kSliceEntryBytes;
  for (const std::uint64_t begin : {std::uint64_t{0}, std::uint64_t{1} << 20, UINT64_MAX - 63}) {
    EXPECT_TRUE(refused(entry - 8, begin)) << begin;
  }
  const auto plain = base::load_le<std::uint64_t>(section.data() + entry);
  ASSERT_NE(plain, 0U);
  for (const std::uint64_t other : {std::uint64_t{0}, plain + 8, plain - 8, UINT64_MAX - 7}) {
    EXPECT_TRUE(refused(entry, other)) << other;
  }
  EXPECT_TRUE(refused(entry + 8, std::uint64_t{0}));
  std::uint32_t all = 0;
  for (std::size_t at = entry + 16; at < section.size() - 2 * kEntryBytes; at += 4) {
    const auto words = base::load_le<std::uint32_t>(section.data() + at);
    all += words;
    if (words == 0) continue;
    for (const std::uint32_t other : {words + 1, words - 1, 1U, 0U, UINT32_MAX}) {
      EXPECT_TRUE(refused(at, other)) << other;
    }
  }
  EXPECT_GT(all, 0U);
}

TEST(CorruptFunction, CodesMustBeComplete) {
  const base::Bytes section = build_coded(stream::SortedHashes::from_unsorted(random_hashes(3000)),
                                          test::geometric_values(3000, 0.5));
  for (std::size_t length = 0; length < 6; ++length) {
    for (const std::uint32_t count : {0U, 2U, 3U, 0x10001U, UINT32_MAX}) {
      base::Bytes changed = section;
      const std::size_t at = kHeaderBytes + 4 * length;
      if (base::load_le<std::uint32_t>(section.data() + at) == count) continue;
      base::store_le(changed.data() + at, count);
      EXPECT_FALSE(opens(changed, random_hashes(40, 3))) << length << " " << count;
    }
  }
}

}  // namespace
}  // namespace crivo::csf
