// SPDX-License-Identifier: Apache-2.0
// The parts that a killed build has made: found again whole, or not at all.

#include "build/part_log.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "index/key_sets.hpp"

namespace crivo::test {
namespace {

using index::PartLog;

constexpr std::uint64_t kId = 7;

Part part_of(std::uint64_t number) {
  Part part{base::Bytes(100 + number, std::byte(number)), base::Bytes(number % 3), {}};
  part.ranks.count = number;
  part.ranks.of_keys.assign(number, PartRanks::kBumped);
  part.ranks.cell_keys = {1, 2};
  return part;
}

bool is_part(const std::optional<Part>& found, std::uint64_t number) {
  const Part part = part_of(number);
  return found && found->body == part.body && found->notes == part.notes &&
         found->signatures == part.signatures && found->ranks.count == part.ranks.count &&
         found->ranks.of_keys == part.ranks.of_keys &&
         found->ranks.cell_keys == part.ranks.cell_keys;
}

class PartLogs : public testing::Test {
 protected:
  static constexpr std::uint64_t kParts = 5;

  void SetUp() override {
    PartLog log(path_, kId);
    for (std::uint64_t i = 0; i < kParts; ++i) log.add({i % 2, 10, i}, part_of(i));
    EXPECT_TRUE(is_part(log.find({0, 10, 4}), 4));
  }
  /// How many parts are there; none may be another than it was.
  std::uint64_t found(std::uint64_t id) const {
    const PartLog log(path_, id);
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < kParts; ++i) {
      const auto part = log.find({i % 2, 10, i});
      EXPECT_TRUE(!part || is_part(part, i)) << i;
      count += part ? 1 : 0;
    }
    return count;
  }

  const Workshop shop_;
  const std::filesystem::path path_ = shop_.at("crivo-parts");
};

TEST_F(PartLogs, GoOnInAnotherProcess) {
  EXPECT_EQ(found(kId), kParts);
  EXPECT_FALSE(PartLog(path_, kId).find({0, 9, 0}));
  PartLog(path_, kId).add({2, 10, 9}, part_of(9));
  EXPECT_TRUE(is_part(PartLog(path_, kId).find({2, 10, 9}), 9));
  EXPECT_EQ(found(kId), kParts);
}

TEST_F(PartLogs, OfOtherKeysAreEmptied) {
  EXPECT_EQ(found(kId + 1), 0U);
  EXPECT_EQ(std::filesystem::file_size(path_), 0U);
}

TEST_F(PartLogs, TornOnesLoseTheirEnd) {
  std::uint64_t left = kParts;
  for (std::uint64_t size = std::filesystem::file_size(path_); size != 0; size -= size / 7 + 1) {
    std::filesystem::resize_file(path_, size);
    const std::uint64_t now = found(kId);
    EXPECT_LE(now, left);
    left = now;
  }
  EXPECT_EQ(left, 0U);
}

TEST_F(PartLogs, DamagedPartsAreNotThere) {
  const std::uint64_t size = std::filesystem::file_size(path_);
  for (std::uint64_t at = 0; at < size; at += 13) {
    SetUp();
    {
      std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(at));
      const int byte = file.get();
      file.seekp(static_cast<std::streamoff>(at));
      file.put(static_cast<char>(byte ^ 4));
    }
    EXPECT_LT(found(kId), kParts) << at;
    std::filesystem::remove(path_);
  }
}

}  // namespace
}  // namespace crivo::test
