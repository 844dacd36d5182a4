// SPDX-License-Identifier: Apache-2.0
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

}  // namespace
}  // namespace crivo::report
