// SPDX-License-Identifier: Apache-2.0
// Filters from hashes in memory to bytes in memory.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "crivo/build/build.hpp"
#include "crivo/error.hpp"
#include "crivo/filter.hpp"
#include "support/errors.hpp"

namespace crivo {
namespace {

std::vector<std::uint64_t> own_hashes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> hashes(count);
  for (std::uint64_t& hash : hashes) hash = random();
  return hashes;
}

TEST(HashFilter, HoldsItsHashesAtTheRateInTheRoomThatWasTold) {
  for (const std::string_view type : hash_filter_types()) {
    for (const std::size_t count : {0U, 1U, 2U, 100U, 4'095U, 4'096U, 50'000U}) {
      SCOPED_TRACE(std::string(type) + " " + std::to_string(count));
      const HashFilterOptions options{.type = type, .fpr = 0.01};
      const auto hashes = own_hashes(count, count + 1);
      // At an odd address, with bytes around that nobody may touch.
      const std::size_t room = filter_hashes_bytes(count, options);
      std::vector<std::byte> memory(room + 2, std::byte{0xa5});
      const std::size_t bytes =
          build_filter_hashes(hashes, std::span(memory).subspan(1, room), options);
      ASSERT_LE(bytes, room);
      EXPECT_EQ(memory.front(), std::byte{0xa5});
      for (std::size_t i = 1 + bytes; i < memory.size(); ++i) ASSERT_EQ(memory[i], std::byte{0xa5});
      const HashFilter filter = HashFilter::open(std::span(memory).subspan(1, bytes));
      EXPECT_EQ(filter.type(), type);
      EXPECT_EQ(filter.size(), count);
      EXPECT_LE(filter.fpr(), 0.011);
      for (const std::uint64_t hash : hashes) ASSERT_TRUE(filter.contains(hash));
      const auto others = own_hashes(100'000, 77);
      std::vector<std::uint8_t> answers(others.size());
      filter.contains(others, {reinterpret_cast<bool*>(answers.data()), answers.size()});
      std::size_t maybe = 0;
      for (std::size_t i = 0; i < others.size(); ++i) {
        ASSERT_EQ(filter.contains(others[i]), answers[i] != 0);
        maybe += answers[i];
      }
      EXPECT_LE(maybe, 1'250U);
      if (count >= 4'095) {
        EXPECT_GE(maybe, 600U);
      }
      EXPECT_EQ(build_filter_hashes(hashes, options),
                std::vector<std::byte>(memory.begin() + 1, memory.begin() + 1 + bytes));
    }
  }
}

TEST(HashFilter, TakesHashesInAnyOrderAndRepeated) {
  for (const std::string_view type : hash_filter_types()) {
    SCOPED_TRACE(type);
    const auto hashes = own_hashes(5'000, 3);
    std::vector<std::uint64_t> twice(hashes.rbegin(), hashes.rend());
    twice.insert(twice.end(), hashes.begin(), hashes.end());
    const auto once = build_filter_hashes(hashes, {.type = type});
    const auto all = build_filter_hashes(twice, {.type = type});
    const HashFilter filter = HashFilter::open(all);
    for (const std::uint64_t hash : hashes) ASSERT_TRUE(filter.contains(hash));
    const bool in_order = type == "ribbon" || type == "fuse";
    EXPECT_EQ(filter.size(), in_order ? 5'000U : 10'000U);
    if (in_order) {
      EXPECT_EQ(all, once);
    }
  }
}

/// The bytes that formats/hash-filter.md shows.
TEST(HashFilter, BytesArePinned) {
  const std::array<std::uint64_t, 1> hashes{0xf095e781a7125e70};
  const auto bytes = build_filter_hashes(hashes, {.type = "split-block-bloom", .fpr = 0.5});
  std::string digits;
  for (const std::byte byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    digits += kDigits[std::to_integer<unsigned>(byte) >> 4];
    digits += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  EXPECT_EQ(digits, "637276662200000001000000000000000100000000000000" + std::string(96, '0') +
                        "0000000400000800000004000000400000000200000100000000200000004000"
                        "0000000100000000");
}

TEST(HashFilter, RefusesWhatItCannotDo) {
  const auto hashes = own_hashes(1'000, 5);
  EXPECT_NE(test::error_of(ErrorKind::usage,
                           [&] { (void)build_filter_hashes(hashes, {.type = "cuckoo"}); }),
            "");
  EXPECT_NE(
      test::error_of(ErrorKind::usage, [&] { (void)build_filter_hashes(hashes, {.fpr = 0}); }), "");
  EXPECT_NE(
      test::error_of(ErrorKind::usage, [&] { (void)filter_hashes_bytes(1, {.type = "none"}); }),
      "");
  for (const std::string_view type : hash_filter_types()) {
    std::vector<std::byte> room(100);
    EXPECT_NE(test::error_of(ErrorKind::usage,
                             [&] { (void)build_filter_hashes(hashes, room, {.type = type}); }),
              "");
  }
  // No hashes at all, as of a counter.
  std::vector<std::uint64_t> numbers(100'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  EXPECT_NE(test::error_of(ErrorKind::bad_input,
                           [&] { (void)build_filter_hashes(numbers, {.type = "fuse"}); }),
            "");
}

/// Damaged bytes are refused, or answer within themselves: a sanitizer sees the rest.
TEST(HashFilter, ReadsNothingOutsideOfDamagedBytes) {
  std::mt19937_64 random(9);
  for (const std::string_view type : hash_filter_types()) {
    for (const std::size_t count : {10U, 5'000U}) {
      const auto hashes = own_hashes(count, 8);
      const auto whole = build_filter_hashes(hashes, {.type = type});
      for (int i = 0; i < 200; ++i) {
        auto bytes = whole;
        if (i % 4 == 0) bytes.resize(random() % bytes.size());
        for (int flips = 0; flips < 3 && !bytes.empty(); ++flips)
          bytes[random() % std::min<std::size_t>(bytes.size(), 120)] ^=
              static_cast<std::byte>(1 << random() % 8);
        bytes.shrink_to_fit();
        try {
          const HashFilter filter = HashFilter::open(bytes);
          for (const std::uint64_t hash : hashes) (void)filter.contains(hash);
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
        }
      }
    }
  }
}

}  // namespace
}  // namespace crivo
