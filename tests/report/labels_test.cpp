// SPDX-License-Identifier: Apache-2.0
// Labels that lie on each other are moved apart.

#include "report/labels.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace crivo::report {
namespace {

/// Three crowded pairs of points, those of each on each other.
TEST(LabelsTest, OfPointsThatLieOnEachOtherAreApart) {
  const std::vector<Place> points{{344, 315}, {346, 316}, {353, 300},
                                  {355, 301}, {343, 303}, {345, 304}};
  const std::vector<Label> labels = place_labels(
      points, std::vector<std::string>(points.size(), "Crivo compact hashed"), {0, 0, 800, 600});
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(labels[i].box.meets(labels[j].box));
  }
}

/// So many on one place and near another that their labels cannot all stand around them.
TEST(LabelsTest, OfManyPointsOnOnePlaceAreApart) {
  constexpr Box kFrame{0, 0, 700, 400};
  std::vector<Place> points(14, Place{90, 80});
  for (int i = 0; i < 10; ++i) points.push_back({690.0 - i, 395.0 - 2 * i});
  const std::vector<Label> labels =
      place_labels(points, std::vector<std::string>(points.size(), "Crivo compact"), kFrame);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    EXPECT_TRUE(labels[i].box.within(kFrame)) << i;
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(labels[i].box.meets(labels[j].box)) << i;
  }
}

}  // namespace
}  // namespace crivo::report
