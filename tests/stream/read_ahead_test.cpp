// SPDX-License-Identifier: Apache-2.0
// Batches that are read ahead come in the order that is asked for.

#include "stream/read_ahead.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "base/parallel.hpp"
#include "support/errors.hpp"
#include "support/temp_directory.hpp"

namespace crivo::stream {
namespace {

using Text = std::vector<std::byte>;

/// A log of batches whose bytes are random, those of each batch apart from one another.
struct Batches {
  explicit Batches(std::size_t count) : log(directory.path()), extents(count), bytes(count) {
    std::mt19937_64 random(count);
    for (int round = 0; round < 5; ++round) {
      for (std::size_t b = 0; b < count; ++b) {
        if (b % 7 == 3) continue;  // these are empty
        Text text(random() % 20'000);
        for (std::byte& byte : text) byte = static_cast<std::byte>(random());
        extents[b].push_back(log.append(text));
        bytes[b].push_back(std::move(text));
      }
    }
    log.flush();
  }

  void expect(std::size_t batch, const ReadAhead::Pieces& pieces) const {
    ASSERT_EQ(pieces.all.size(), bytes[batch].size());
    for (std::size_t i = 0; i < pieces.all.size(); ++i) {
      EXPECT_TRUE(std::ranges::equal(pieces.all[i], bytes[batch][i])) << batch << ' ' << i;
    }
  }

  test::TempDirectory directory;
  SpillLog log;
  std::vector<std::vector<Extent>> extents;
  std::vector<std::vector<Text>> bytes;
};

TEST(ReadAhead, GivesEveryBatchInEveryPass) {
  const Batches batches(100);
  for (const std::uint64_t memory : {std::uint64_t{0}, std::uint64_t{300'000}, UINT64_MAX}) {
    for (const unsigned threads : {1U, 3U}) {
      ReadAhead ahead(batches.log, batches.extents, memory);
      for (int pass = 0; pass < 3; ++pass) {
        base::parallel_for(threads, batches.extents.size(),
                           [&](std::uint64_t batch) { batches.expect(batch, ahead.take(batch)); });
      }
    }
  }
}

TEST(ReadAhead, GivesThemInAnyOrder) {
  const Batches batches(40);
  ReadAhead ahead(batches.log, batches.extents, 100'000);
  std::mt19937_64 random(1);
  std::vector<ReadAhead::Pieces> kept;
  for (int i = 0; i < 500; ++i) {
    const std::size_t batch = random() % batches.extents.size();
    batches.expect(batch, ahead.take(batch));
    if (i % 50 == 0) {
      kept.push_back(ahead.take(batch));
      batches.expect(batch, ahead.take(batch));  // while it is in use
      batches.expect(batch, kept.back());
    }
  }
}

TEST(ReadAhead, TellsWhoAsksOfAFileCutShort) {
  Batches batches(10);
  batches.extents[6].push_back({std::uint64_t{1} << 40, 100});
  ReadAhead ahead(batches.log, batches.extents, UINT64_MAX);
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t batch = 0; batch < 10; ++batch) {
      if (batch == 6) {
        const auto message = test::error_of(ErrorKind::io, [&] { (void)ahead.take(batch); });
        EXPECT_NE(message.find("cut short"), std::string::npos) << message;
      } else {
        batches.expect(batch, ahead.take(batch));
      }
    }
  }
}

}  // namespace
}  // namespace crivo::stream
