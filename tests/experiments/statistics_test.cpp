#include "experiments/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace crivo::experiments {
namespace {

TEST(StatisticsTest, OfOneValue) {
  const Summary one = summary(std::vector<double>{4.0});
  EXPECT_EQ(one.mean, 4);
  EXPECT_EQ(one.deviation, 0);
  EXPECT_EQ(one.half_width, 0);
}

TEST(StatisticsTest, OfFew) {
  const Summary few = summary(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_DOUBLE_EQ(few.mean, 5);
  EXPECT_NEAR(few.deviation, std::sqrt(32.0 / 7), 1e-12);
  EXPECT_NEAR(few.half_width, 2.365 * std::sqrt(32.0 / 7 / 8), 1e-9);  // 7 degrees of freedom
}

TEST(StatisticsTest, StudentTendsToTheNormalDistribution) {
  std::vector<double> values;
  double before = 100;
  for (const std::size_t n : {2U, 3U, 5U, 30U, 31U, 32U, 33U, 60U, 100U, 1000U}) {
    values.clear();
    for (std::size_t i = 0; i < n; ++i) values.push_back(i % 2 == 0 ? 1 : -1);
    const Summary all = summary(values);
    const double factor = all.half_width / all.deviation * std::sqrt(static_cast<double>(n));
    EXPECT_LT(factor, before) << n;
    before = factor;
  }
  EXPECT_NEAR(before, 1.962, 0.001);
}

TEST(StatisticsTest, LineThroughPoints) {
  const std::vector<double> x{1, 2, 3, 4};
  const Line exact = regression(x, std::vector<double>{5, 7, 9, 11});
  EXPECT_DOUBLE_EQ(exact.slope, 2);
  EXPECT_DOUBLE_EQ(exact.intercept, 3);
  EXPECT_DOUBLE_EQ(exact.r, 1);
  EXPECT_DOUBLE_EQ(exact.at(10), 23);
  const Line falling = regression(x, std::vector<double>{4, 3, 2, 1});
  EXPECT_DOUBLE_EQ(falling.r, -1);
  const Line near = regression(x, std::vector<double>{2, 1, 4, 3});
  EXPECT_NEAR(near.slope, 0.6, 1e-12);
  EXPECT_NEAR(near.r, 0.6, 1e-12);
  EXPECT_EQ(regression(x, std::vector<double>{3, 3, 3, 3}).r, 0);
}

TEST(StatisticsTest, Crossing) {
  const std::vector<double> x{0.7, 0.6, 0.5, 0.4};
  const std::vector<double> y{4, 3, 2.5, 2.5};
  EXPECT_DOUBLE_EQ(crossing(x, y, 3.5), 0.65);
  EXPECT_DOUBLE_EQ(crossing(x, y, 3), 0.6);
  EXPECT_DOUBLE_EQ(crossing(x, y, 4), 0.7);
  EXPECT_DOUBLE_EQ(crossing(x, y, 2.75), 0.55);
  EXPECT_DOUBLE_EQ(crossing(x, y, 2.5), 0.5);
  EXPECT_TRUE(std::isnan(crossing(x, y, 4.1)));
  EXPECT_TRUE(std::isnan(crossing(x, y, 2.4)));
}

}  // namespace
}  // namespace crivo::experiments
