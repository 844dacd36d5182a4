// SPDX-License-Identifier: Apache-2.0
// What is spooled comes back, from memory or from the disk.

#include "base/spool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

#include "crivo/error.hpp"

namespace crivo::base {
namespace {

constexpr std::uint64_t kBlock = std::uint64_t{1} << 20;

Bytes some_bytes(std::size_t count) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * i >> 7);
  return bytes;
}

Bytes all_of(const Spool& spool) {
  Bytes all;
  spool.for_each([&](ByteView some) {
    EXPECT_EQ(all.size() % 64, 0U);  // of the pieces before
    all.insert(all.end(), some.begin(), some.end());
  });
  return all;
}

TEST(Spool, GivesWhatWasAppended) {
  const Bytes bytes = some_bytes(5 * kBlock + 77);
  for (const std::uint64_t memory : {std::uint64_t{0}, 2 * kBlock, UINT64_MAX}) {
    Progress progress;
    Scratch scratch(testing::TempDir(), memory, progress);
    Spool spool(&scratch);
    EXPECT_TRUE(all_of(spool).empty());
    ByteView left = bytes;
    for (std::size_t length = 1; !left.empty(); length = length * 3 + 1) {
      spool.append(left.first(std::min(length, left.size())));
      left = left.subspan(std::min(length, left.size()));
    }
    EXPECT_EQ(spool.size(), bytes.size());
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(all_of(spool) == bytes);
    EXPECT_EQ(scratch.temp_bytes(), memory == 0            ? 5 * kBlock
                                    : memory == UINT64_MAX ? 0
                                                           : 4 * kBlock);
  }
}

TEST(Spool, TellsWhatItSpills) {
  for (const std::uint64_t memory : {std::uint64_t{0}, kBlock, 2 * kBlock + 1, 3 * kBlock}) {
    for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, kBlock, kBlock + 1,
                                      2 * kBlock, 2 * kBlock + 1, 3 * kBlock, 7 * kBlock + 7}) {
      Progress progress;
      Scratch scratch(testing::TempDir(), memory, progress);
      Spool spool(&scratch);
      spool.append(some_bytes(bytes));
      EXPECT_EQ(Spool::spilled_of(bytes, memory), scratch.temp_bytes()) << bytes << " " << memory;
    }
  }
}

TEST(Spool, StaysInMemoryWithoutScratch) {
  Spool spool(nullptr);
  spool.append(some_bytes(2 * kBlock));
  EXPECT_TRUE(all_of(spool) == some_bytes(2 * kBlock));
}

TEST(Spool, NeedsADirectory) {
  Progress progress;
  Scratch scratch("/nonexistent", 0, progress);
  Spool spool(&scratch);
  EXPECT_THROW(spool.append(some_bytes(2 * kBlock)), Error);
}

}  // namespace
}  // namespace crivo::base
