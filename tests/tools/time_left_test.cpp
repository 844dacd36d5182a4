// SPDX-License-Identifier: Apache-2.0
// The time left, over work of phases that take longer, or less long, than was expected of them.

#include "program/time_left.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace crivo::cli {
namespace {

struct Phase {
  double expected;  ///< its part of the work, as planned
  double seconds;   ///< that it takes
};

constexpr double kInterval = 0.25;

/// Follows the work to its end. Calls look(seconds left in truth, seconds told) at each note.
template <typename Look>
void follow(const std::vector<Phase>& phases, Look&& look) {
  double weight = 0;
  double whole = 0;
  for (const Phase& phase : phases) {
    weight += phase.expected;
    whole += phase.seconds;
  }
  TimeLeft left;
  for (double now = kInterval; now < whole; now += kInterval) {
    double fraction = 0;
    double begin = 0;
    for (const Phase& phase : phases) {
      fraction += phase.expected / weight * std::clamp((now - begin) / phase.seconds, 0.0, 1.0);
      begin += phase.seconds;
    }
    left.note(now, fraction);
    ASSERT_TRUE(left.seconds());
    look(whole - now, *left.seconds());
  }
}

/// The largest step between two times told, beyond what the clock accounts for, against the time
/// told.
double largest_jump(const std::vector<Phase>& phases) {
  double before = -1;
  double jump = 0;
  follow(phases, [&](double, double told) {
    if (before >= 0) jump = std::max(jump, std::abs(told - (before - kInterval)) / (before + 2));
    before = told;
  });
  return jump;
}

TEST(TimeLeft, IsRightWhereTheWeightsAre) {
  follow({{2, 10}, {1, 5}, {4, 20}},
         [](double truth, double told) { EXPECT_NEAR(told, truth, 1e-6); });
}

TEST(TimeLeft, DoesNotJumpWhereTheWeightsAreWrong) {
  // Each phase twice as long, or half as long, as the others led to expect.
  EXPECT_LT(largest_jump({{1, 10}, {1, 20}, {1, 10}, {1, 5}, {1, 20}}), 0.125);
  EXPECT_LT(largest_jump({{1, 5}, {1, 20}, {1, 5}}), 0.125);
  EXPECT_LT(largest_jump({{10, 100}, {1, 100}, {10, 100}}), 0.125);
  EXPECT_LT(largest_jump({{1, 40}, {3, 30}}), 0.125);
}

TEST(TimeLeft, LearnsASpeedThatTheWeightsDidNotTell) {
  const double whole = 60 + 60;
  double at_the_end = 0;
  follow({{3, 60}, {1, 60}}, [&](double truth, double told) {
    if (truth < whole / 8 && at_the_end == 0) at_the_end = told / truth;
  });
  EXPECT_GT(at_the_end, 0.5);
  EXPECT_LT(at_the_end, 1.5);
}

TEST(TimeLeft, SoonForgetsASlowBeginning) {
  // A start of three tenths of a second tells of half a minute, where there are two seconds.
  follow({{1, 0.3}, {99, 1.7}}, [&](double truth, double told) {
    EXPECT_TRUE(truth > 1 || told < 5) << truth << " s, told " << told;
  });
}

TEST(TimeLeft, IsNotToldBeforeAnythingIsDone) {
  TimeLeft left;
  EXPECT_FALSE(left.seconds());
  left.note(1, 0);
  left.note(2, 0);
  EXPECT_FALSE(left.seconds());
  left.note(4, 0.5);  // as where the size of a pipe gets known
  ASSERT_TRUE(left.seconds());
  EXPECT_NEAR(*left.seconds(), 4, 1e-9);
}

TEST(TimeLeft, IsNeverNegative) {
  TimeLeft left;
  for (double now = 1; now < 100; ++now) {
    left.note(now, now < 10 ? now / 10 : 0.999);
    EXPECT_GE(*left.seconds(), 0);
  }
}

}  // namespace
}  // namespace crivo::cli
