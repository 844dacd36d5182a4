#include "report/table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace crivo::report {
namespace {

TEST(NumbersTest, AsText) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(10'935'928), "10,935,928");
  EXPECT_EQ(fixed(1.175, 1), "1.2");
  EXPECT_EQ(fixed(-0.5, 0), "-0");
  EXPECT_EQ(fixed(std::numeric_limits<double>::quiet_NaN(), 2), "-");
  EXPECT_EQ(percent(0.25), "25 %");
  EXPECT_EQ(percent(0.00125, 2), "0.12 %");
  EXPECT_EQ(percent(std::nan("")), "-");
}

TEST(TableTest, IsMarkdown) {
  Table table({"load", "hu", "printed"});
  table.add({"70 %", "1.17", "1.16"});
  table.add({"50 %"});
  EXPECT_EQ(table.write(TableForm::markdown),
            "| load | hu | printed |\n"
            "|---|---:|---:|\n"
            "| 70 % | 1.17 | 1.16 |\n"
            "| 50 % |  |  |\n");
}

}  // namespace
}  // namespace crivo::report
