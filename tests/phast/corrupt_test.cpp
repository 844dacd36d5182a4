// SPDX-License-Identifier: Apache-2.0
// Damaged sections are refused, or answer without reading outside them.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "crivo/error.hpp"
#include "mphf/build.hpp"
#include "support/functions.hpp"
#include "support/hashes.hpp"

namespace crivo {
namespace {

using test::build_section;
using test::fast;
using test::random_hashes;

bool survives(const base::Bytes& section, const std::vector<Hash128>& probes) {
  return test::survives(fast().algorithm().open, section, probes);
}

TEST(PhastCorrupt, EveryTruncationIsRefused) {
  for (const std::uint64_t n : {0U, 1U, 100U, 600U, 2000U, 3000U}) {
    const base::Bytes section = build_section(random_hashes(n));
    for (std::size_t size = 0; size < section.size(); ++size) {
      const base::Bytes cut(section.begin(), section.begin() + static_cast<std::ptrdiff_t>(size));
      ASSERT_FALSE(survives(cut, {})) << "n = " << n << ", cut at " << size;
    }
  }
}

TEST(PhastCorrupt, TrailingBytesAreRefused) {
  base::Bytes section = build_section(random_hashes(2000));
  section.resize(section.size() + 8);
  EXPECT_FALSE(survives(section, {}));
}

TEST(PhastCorrupt, EveryByteOfASmallSection) {
  for (const std::uint64_t n : {100U, 2000U}) {
    const auto hashes = random_hashes(n);
    base::Bytes section = build_section(hashes);
    for (std::byte& byte : section) {
      const std::byte original = byte;
      for (const unsigned flip : {0x01U, 0x10U, 0x80U, 0xffU}) {
        byte = original ^ std::byte(flip);
        survives(section, hashes);
      }
      byte = original;
    }
  }
}

TEST(PhastCorrupt, SampleOfALargeSection) {
  const auto hashes = random_hashes(600'000);
  const std::vector<Hash128> probes(hashes.begin(), hashes.begin() + 20'000);
  base::Bytes section = build_section(hashes);
  for (std::uint64_t i = 0; i < 200; ++i) {
    // The arrays are long and their ends, where the fields are, short: every other place is near an
    // end.
    const std::uint64_t random = base::mix64(i + 1);
    const std::size_t place =
        i < 100 ? random % section.size() : section.size() - 1 - random % 4096;
    const std::byte original = section[place];
    section[place] ^= static_cast<std::byte>(1 + (random >> 40) % 255);
    survives(section, probes);
    section[place] = original;
  }
}

TEST(PhastCorrupt, RunsOfGarbage) {
  const auto hashes = random_hashes(2000);
  const base::Bytes section = build_section(hashes);
  for (std::uint64_t i = 0; i < 300; ++i) {
    base::Bytes garbled = section;
    const std::size_t begin = base::mix64(3 * i) % section.size();
    const std::size_t length = 1 + base::mix64(3 * i + 1) % 64;
    for (std::size_t k = begin; k < std::min(begin + length, section.size()); ++k) {
      garbled[k] = i % 3 == 0 ? std::byte{0xff} : static_cast<std::byte>(base::mix64(i * 1000 + k));
    }
    survives(garbled, hashes);
  }
}

TEST(PhastCorrupt, NamesWhatIsWrong) {
  const base::Bytes section = build_section(random_hashes(2000));
  const auto problem = [&](std::size_t place, unsigned value) -> std::string {
    base::Bytes changed = section;
    changed[place] = static_cast<std::byte>(value);
    try {
      fast().algorithm().open(base::ByteView(changed));
    } catch (const Error& error) {
      return error.what();
    }
    return "opens";
  };
  EXPECT_EQ(problem(7, 0xff), "mphf section: the number of keys is out of range");
  EXPECT_EQ(problem(8, 8), "mphf section: the seed width is out of range");
  EXPECT_EQ(problem(8, 17), "mphf section: the seed width is out of range");
  EXPECT_EQ(problem(9, 1), "mphf section: holds a nonzero reserved byte");
  EXPECT_EQ(problem(16, 0xff), "mphf section: a level's number of buckets is out of range");
  EXPECT_EQ(problem(20, 12), "mphf section: a level's slice length is out of range");
  EXPECT_EQ(problem(21, 23), "mphf section: a level's number of partitions is out of range");
  EXPECT_EQ(problem(21, 22), "mphf section: ends before its last field");
  EXPECT_EQ(problem(22, 1), "mphf section: holds a nonzero reserved byte");
  EXPECT_EQ(problem(23, 1), "mphf section: holds a nonzero reserved byte");
}

/// Seeds and slices may say anything: a value that is not one is clamped.
TEST(PhastCorrupt, SlicesOfAnyLength) {
  const auto hashes = random_hashes(2000);
  base::Bytes section = build_section(hashes);
  for (unsigned slice_bits = 0; slice_bits <= 11; ++slice_bits) {
    section[20] = static_cast<std::byte>(slice_bits);
    EXPECT_TRUE(survives(section, hashes));
  }
}

}  // namespace
}  // namespace crivo
