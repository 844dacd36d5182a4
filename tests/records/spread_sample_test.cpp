// SPDX-License-Identifier: Apache-2.0
/// Samples are spread evenly over the bytes of a stream of records, whatever their lengths.
#include "records/build/spread_sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "records/build/encoding.hpp"
#include "records/build/zstd_encoder.hpp"
#include "records/zstd_blocks.hpp"

namespace crivo::records {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// One record in 100 has 200,000 bytes of 'L', which are nearly all bytes; the others 60 of 's'.
std::string text_of(int number) {
  return number % 100 == 50 ? std::string(200'000, 'L') : std::string(60, 's');
}

template <typename Sample>
std::uint64_t add_records(Sample& sample, int records) {
  std::uint64_t bytes = 0;
  for (int i = 0; i < records; ++i) {
    const std::string key = "key" + std::to_string(i);
    const std::string text = text_of(i);
    sample.add(key, text);
    bytes += key.size() + text.size();
  }
  return bytes;
}

TEST(SpreadSample, PiecesCountByTheirBytes) {
  PieceSample sample(kMiB);
  const auto all = static_cast<double>(add_records(sample, 5000));
  const UnitSample units = sample.units();
  EXPECT_LE(units.bytes.size(), kMiB);
  EXPECT_GE(units.bytes.size(), kMiB / 3);
  std::size_t longs = 0;
  std::size_t sum = 0;
  for (const std::byte each : units.bytes) longs += each == std::byte{'L'} ? 1 : 0;
  for (const std::size_t size : units.sizes) {
    EXPECT_LE(size, PieceSample::kPieceBytes);
    sum += size;
  }
  EXPECT_EQ(sum, units.bytes.size());
  EXPECT_NEAR(static_cast<double>(longs) / static_cast<double>(sum), 50 * 200'000 / all, 0.02);
}

TEST(SpreadSample, FewRecordsAreKeptWhole) {
  PieceSample sample(kMiB);
  sample.add("key", std::string(1000, 'x'));
  sample.add("", "");
  sample.add(std::string(300, 'k'), "record");
  EXPECT_EQ(base::as_text(sample.units().bytes),
            "key" + std::string(1000, 'x') + std::string(300, 'k') + "record");
  EXPECT_EQ(sample.units().sizes.size(), 6U);
}

TEST(SpreadSample, JudgesStandForAllRecordsAndBytes) {
  JudgeSample sample(kMiB);
  constexpr int kRecords = 20'000;
  const auto all = static_cast<double>(add_records(sample, kRecords));
  EXPECT_LE(sample.bytes(), kMiB);
  double records = 0;
  double bytes = 0;
  for (const JudgeSample::Judge& judge : sample.judges()) {
    records += sample.weight(judge);
    bytes += sample.weight(judge) * static_cast<double>(judge.size);
    EXPECT_EQ(sample.key(judge).substr(0, 3), "key");
    EXPECT_LE(sample.front(judge).size(), JudgeSample::kFrontBytes);
    EXPECT_EQ(sample.front(judge).front(), judge.size > 1000 ? 'L' : 's');
  }
  EXPECT_NEAR(bytes / all, 1, 0.1);
  EXPECT_NEAR(records / kRecords, 1, 0.5);  // the short ones are in few windows
}

TEST(SpreadSample, BlocksKeepTheirFronts) {
  BlockSample sample(512, kMiB);
  add_records(sample, 200);
  const UnitSample units = sample.units();
  std::size_t sum = 0;
  for (const std::size_t size : units.sizes) {
    EXPECT_LE(size, kTrainedFront);
    sum += size;
  }
  EXPECT_EQ(sum, units.bytes.size());
  EXPECT_EQ(std::ranges::count(units.sizes, kTrainedFront), 2);
}

}  // namespace
}  // namespace crivo::records
