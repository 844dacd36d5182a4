// SPDX-License-Identifier: Apache-2.0
// Statistics of reports against known values.

#include "experiments/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "experiments/attempts.hpp"

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
  EXPECT_NEAR(few.half_width, 2.364624 * std::sqrt(32.0 / 7 / 8), 1e-6);  // 7 degrees of freedom
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

TEST(StatisticsTest, StudentsQuantiles) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.706, 0.001);
  EXPECT_NEAR(student_quantile(0.975, 7), 2.365, 0.001);
  EXPECT_NEAR(student_quantile(0.975, 30), 2.042, 0.001);
  EXPECT_NEAR(student_quantile(0.995, 10), 3.169, 0.001);
  EXPECT_NEAR(student_quantile(0.9975, 49), 2.940, 0.002);
}

TEST(StatisticsTest, LeastAndMedian) {
  EXPECT_EQ(times_of({3, 1, 2}).least, 1);
  EXPECT_EQ(times_of({3, 1, 2}).median, 2);
  EXPECT_EQ(times_of({4, 1, 2, 9}).median, 3);
  EXPECT_EQ(times_of({5}).median, 5);
}

TEST(VerdictTest, OfAMean) {
  std::vector<double> near;
  for (int i = 0; i < 3; ++i) near.insert(near.end(), {0.99, 1.00, 1.01, 1.00});
  const Summary narrow = summary(near);
  EXPECT_EQ(verdict(narrow, 1.0, 0), Verdict::agrees);
  EXPECT_EQ(verdict(narrow, 1.2, 0), Verdict::differs);
  EXPECT_EQ(verdict(narrow, 1.004, 0), Verdict::agrees);
  EXPECT_EQ(verdict(narrow, 1.008, 0), Verdict::differs);
  EXPECT_EQ(verdict(narrow, 1.008, 0, 1000), Verdict::agrees);  // a wider interval
  EXPECT_EQ(verdict(narrow, 1.024, 0.02), Verdict::agrees);     // known to +-0.02
  const std::vector<double> wide{1, 5, 1, 8, 1, 5, 1, 8, 1, 5};
  EXPECT_EQ(verdict(summary(wide), 3.0, 0), Verdict::inconclusive);
  EXPECT_EQ(verdict(summary(std::vector<double>{1, 1}), 1.0, 0), Verdict::too_few);
}

TEST(StatisticsTest, BetaQuantiles) {
  EXPECT_NEAR(beta_quantile(0.5, 1, 1), 0.5, 1e-12);
  EXPECT_NEAR(beta_quantile(0.025, 1, 10), 1 - std::pow(0.975, 0.1), 1e-12);
  EXPECT_NEAR(beta_quantile(0.975, 2, 3), 0.8059, 0.0001);
  EXPECT_NEAR(beta_quantile(0.025, 40, 60), 0.3066, 0.0005);
}

TEST(AttemptsTest, IntervalsAreExact) {
  const Attempts same = attempts_of(std::vector<double>(50, 1));
  EXPECT_EQ(same.mean(), 1);
  EXPECT_EQ(same.low, 1);
  EXPECT_NEAR(same.high, 1 / std::pow(0.025, 1.0 / 50), 1e-9);  // all 50 succeed at once
  const Attempts one = attempts_of(std::vector<double>{4});
  // One run: 1 - (1 - p)^4 and (1 - p)^3 are 0.025.
  EXPECT_NEAR(one.high, 1 / (1 - std::pow(0.975, 0.25)), 1e-6);
  EXPECT_NEAR(one.low, 1 / (1 - std::pow(0.025, 1.0 / 3)), 1e-9);
}

// Counts that are all 1 are no proof that the mean is below 1.03: the case of Tables 4.14 and 4.15.
TEST(AttemptsTest, EqualCountsHaveAnInterval) {
  EXPECT_EQ(verdict(attempts_of(std::vector<double>(50, 1)), 1.05), Verdict::agrees);
  EXPECT_EQ(verdict(attempts_of(std::vector<double>(10, 1)), 1.10, 30), Verdict::agrees);
  EXPECT_EQ(verdict(attempts_of(std::vector<double>(50, 1)), 1.23, 30), Verdict::differs);
  EXPECT_EQ(verdict(attempts_of(std::vector<double>{2, 2}), 3.67, 30), Verdict::too_few);
}

TEST(AttemptsTest, AMeanOfFewRunsHasChanceToo) {
  std::vector<double> counts(50, 3);
  counts[0] = 10;  // 157 attempts: MWHC-2, hu, 50,000 keys
  EXPECT_EQ(verdict(attempts_of(counts), 3.9), Verdict::agrees);
  EXPECT_EQ(verdict(attempts_of(counts), 4.3), Verdict::differs);     // a mean that is known
  EXPECT_EQ(verdict(attempts_of(counts), 4.3, 30), Verdict::agrees);  // one of 30 runs
  EXPECT_EQ(verdict(attempts_of(counts), 7.0, 30), Verdict::differs);
}

TEST(VerdictTest, OfAProportion) {
  EXPECT_EQ(verdict(proportion(67, 200), 0.3348), Verdict::agrees);
  EXPECT_EQ(verdict(proportion(4, 96), 0.3348), Verdict::differs);
  EXPECT_EQ(verdict(proportion(1, 3), 0.3348), Verdict::inconclusive);
  const Proportion none = proportion(0, 10);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 0.2775, 0.001);  // Wilson's
}

TEST(OrderTest, ByTurns) {
  const std::vector<double> fast{1, 1.1, 1.2, 1, 1.1, 9, 1.3, 1.2, 1.1, 1, 1.1, 1.2};
  std::vector<double> slow = fast;
  for (double& x : slow) x += 0.01;
  EXPECT_EQ(paired_order(fast, slow), Order::less);
  EXPECT_EQ(paired_order(slow, fast), Order::more);
  EXPECT_EQ(paired_order(fast, fast), Order::inconclusive);
  slow[0] = slow[1] = slow[2] = 0;  // 9 of 12: chance has it in 15 of 100 cases
  EXPECT_EQ(paired_order(slow, fast), Order::inconclusive);
  EXPECT_EQ(paired_order({}, {}), Order::inconclusive);
}

TEST(OrderTest, AtDifferentTimes) {
  const std::vector<double> a{1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<double> b{11, 12, 13, 14, 15, 16, 17, 1};
  EXPECT_EQ(order(a, b), Order::less);
  EXPECT_EQ(order(b, a), Order::more);
  EXPECT_EQ(order(a, a), Order::inconclusive);
}

}  // namespace
}  // namespace crivo::experiments
