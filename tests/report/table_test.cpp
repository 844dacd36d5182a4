// SPDX-License-Identifier: Apache-2.0
// Numbers and tables of reports as Markdown.

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

TEST(TableTest, IsDividedWhereItIsTooWide) {
  Table table({{"method"}, {"bits"}, {"CPU", "build"}, {"wall"}, {"one", "lookup"}, {"batch"}});
  table.add({"CHD", "2.1", "100", "110", "20", "5"});
  table.add({"BDZ", "failed, which is told once"});
  const std::string whole =
      "              build      lookup\n"
      "method  bits  CPU  wall  one  batch\n"
      "CHD      2.1  100   110   20      5\n"
      "BDZ     failed, which is told once\n";
  EXPECT_EQ(table.write(TableForm::text), whole);
  EXPECT_EQ(table.write(TableForm::text, 35), whole);
  EXPECT_EQ(table.write(TableForm::text, 34),
            "              build\n"
            "method  bits  CPU  wall\n"
            "CHD      2.1  100   110\n"
            "BDZ     failed, which is told once\n"
            "\n"
            "        lookup\n"
            "method  one  batch\n"
            "CHD      20      5\n");
  // No group has room as a whole: each of its parts has its name.
  EXPECT_EQ(table.write(TableForm::text, 1),
            "method  bits\n"
            "CHD      2.1\n"
            "BDZ     failed, which is told once\n"
            "\n"
            "        build\n"
            "method  CPU\n"
            "CHD     100\n"
            "\n"
            "        build\n"
            "method  wall\n"
            "CHD      110\n"
            "\n"
            "        lookup\n"
            "method  one\n"
            "CHD      20\n"
            "\n"
            "        lookup\n"
            "method  batch\n"
            "CHD         5\n");
}

}  // namespace
}  // namespace crivo::report
