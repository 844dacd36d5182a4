// SPDX-License-Identifier: Apache-2.0
// The table of taken values holds every value that was taken.

#include "structures/phast/build/occupancy.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/arithmetic.hpp"

namespace crivo::phast {
namespace {

/// Whether every row says what `taken` says of the values in it and around it.
void expect_rows(const Occupancy& occupancy, const std::vector<bool>& taken) {
  for (std::uint32_t row = 0; row < Occupancy::kRows; ++row) {
    for (std::uint32_t i = 0; i < Occupancy::kBefore + taken.size() + 1024; ++i) {
      const std::uint32_t place = i + row;
      const std::uint32_t value = place - Occupancy::kBefore;  // wraps before the first
      const std::uint8_t byte = occupancy.at(0)[row * Occupancy::kRowBytes + i / 8];
      ASSERT_EQ((byte >> (i % 8) & 1) != 0, value >= taken.size() || taken[value])
          << "row " << row << ", place " << place;
    }
  }
}

TEST(Occupancy, EveryRowHoldsWhatIsTaken) {
  Occupancy occupancy;
  std::uint64_t state = 0;
  for (const std::uint32_t values : {5000U, 0U, 1U, 7U, 8U, 63U, 64U, 65U, 1000U}) {
    occupancy.reset(values);
    std::vector<bool> taken(values);
    expect_rows(occupancy, taken);
    for (std::uint32_t v = 0; v < values; ++v) {
      if (base::mix64(++state) % 3 == 0) continue;
      occupancy.take(Occupancy::kBefore + v);
      taken[v] = true;
    }
    expect_rows(occupancy, taken);
    for (std::uint32_t v = 0; v < values; v += 5) {
      if (!taken[v]) continue;
      occupancy.release(Occupancy::kBefore + v);
      taken[v] = false;
    }
    expect_rows(occupancy, taken);
    std::vector<std::uint32_t> free;
    for (std::uint32_t v = 0; v < values; ++v) {
      EXPECT_EQ(occupancy.taken(Occupancy::kBefore + v), taken[v]);
      if (!taken[v]) free.push_back(v);
    }
    std::vector<std::uint32_t> found;
    occupancy.append_free(found);
    EXPECT_EQ(found, free);
  }
}

}  // namespace
}  // namespace crivo::phast
