// SPDX-License-Identifier: Apache-2.0
// Plots of reports: axes, marks, and texts that do not collide.

#include "report/plot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include "report/scale.hpp"

namespace crivo::report {
namespace {

/// What `element`s of a document say of `attribute`, in their order.
std::vector<std::string> attributes(const std::string& svg, const std::string& element,
                                    const std::string& attribute) {
  std::vector<std::string> found;
  const std::regex pattern("<" + element + " [^>]*" + attribute + "=\"([^\"]*)\"");
  for (std::sregex_iterator at(svg.begin(), svg.end(), pattern), end; at != end; ++at) {
    found.push_back((*at)[1]);
  }
  return found;
}

/// The texts of a document, in their order.
std::vector<std::string> texts(const std::string& svg) {
  std::vector<std::string> found;
  const std::regex pattern("<text [^>]*>([^<]*)</text>");
  for (std::sregex_iterator at(svg.begin(), svg.end(), pattern), end; at != end; ++at) {
    found.push_back((*at)[1]);
  }
  return found;
}

std::size_t count_of(const std::string& svg, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = svg.find(text); at != std::string::npos; at = svg.find(text, at + 1)) {
    ++count;
  }
  return count;
}

std::vector<std::string> tick_texts(const Scale& scale) {
  std::vector<std::string> found;
  for (const Tick& tick : scale.ticks()) found.push_back(tick.text);
  return found;
}

TEST(ScaleTest, LinearAxesHaveRoundTicks) {
  const Scale across({}, {1, 20'000}, 0, 400, false);
  EXPECT_EQ(tick_texts(across),
            (std::vector<std::string>{"0", "5,000", "10,000", "15,000", "20,000"}));
  EXPECT_DOUBLE_EQ(across.at(0), 0);  // an axis that would begin near 0 begins there
  EXPECT_GT(across.at(20'000), 360);
  EXPECT_LT(across.at(20'000), 400);
  const Scale up({}, {0.5, 0.6}, 300, 0, false);  // far from 0
  EXPECT_EQ(tick_texts(up).front(), "0.5");
  EXPECT_GT(up.at(0.5), up.at(0.6));
  EXPECT_LT(up.at(0.5), 300);
  const Scale bars({}, {0.5, 0.6}, 300, 0, true);
  EXPECT_DOUBLE_EQ(bars.base(), 300);
  EXPECT_DOUBLE_EQ(bars.at(0), 300);
}

TEST(ScaleTest, LogarithmicAxesTellApartWhatIsNearTheirFloor) {
  const Scale plain({.logarithmic = true}, {1e-5, 1e3}, 0, 800, false);
  const auto all = tick_texts(plain);
  for (const char* text : {"1e-5", "0.01", "1", "100", "1,000"}) {
    EXPECT_NE(std::ranges::find(all, text), all.end()) << text;
  }
  EXPECT_NEAR(plain.at(1) - plain.at(0.1), plain.at(100) - plain.at(10), 1e-9);
  const Scale above({.logarithmic = true, .floor = 1.44}, {1.45, 1.48, 3}, 0, 800, false);
  EXPECT_GT(above.at(1.48) - above.at(1.45), above.at(3) - above.at(2));
  EXPECT_DOUBLE_EQ(above.at(1.0), 0);  // below the floor: the beginning
}

TEST(ScaleTest, RangesAreAsAskedAndOddValuesDoNoHarm) {
  const Scale asked({.low = 10, .high = 20}, {0, 1000}, 0, 100, false);
  EXPECT_DOUBLE_EQ(asked.at(10), 0);
  EXPECT_DOUBLE_EQ(asked.at(20), 100);
  const double nan = std::nan("");
  for (const bool logarithmic : {false, true}) {
    for (const std::vector<double>& values : {std::vector<double>{},
                                              {0},
                                              {5, 5},
                                              {nan, 1},
                                              {-1, -2},
                                              {std::numeric_limits<double>::infinity()}}) {
      const Scale scale({.logarithmic = logarithmic}, values, 0, 100, true);
      EXPECT_TRUE(std::isfinite(scale.at(1)));
      EXPECT_TRUE(std::isfinite(scale.base()));
      EXPECT_LT(scale.ticks().size(), 20U);
    }
  }
}

TEST(ScaleTest, NamesStandAtTheWholeNumbers) {
  const Scale scale({.names = {"a", "b"}}, {}, 0, 100, false);
  EXPECT_EQ(tick_texts(scale), (std::vector<std::string>{"a", "b"}));
  EXPECT_DOUBLE_EQ(scale.at(0), 25);
  EXPECT_DOUBLE_EQ(scale.at(1), 75);
}

TEST(PlotTest, HasItsTextsEscapedAndEveryMark) {
  const Plot plot{
      .title = "A & B <C>",
      .subtitle = "where and when",
      .panels = {
          {.title = "panel",
           .x = {.title = "n", .logarithmic = true},
           .y = {.title = "s"},
           .series = {{"one", Series::Style::line_points, {{1, 2}, {10, 3}}},
                      {"two", Series::Style::points, {{1, 1, 0.5, 1.5}, {10, 2, 1.75, 2.25}}},
                      {"three", Series::Style::line, {{1, 1}, {10, 10}}},
                      {"four", Series::Style::steps, {{1, 4}, {2, 5}}}}}}};
  const std::string svg = to_svg(plot);
  const std::vector<std::string> all = texts(svg);
  for (const char* text : {"A &amp; B &lt;C&gt;", "where and when", "panel", "n", "s", "one", "two",
                           "three", "four"}) {
    EXPECT_NE(std::ranges::find(all, text), all.end()) << text;
  }
  EXPECT_EQ(count_of(svg, "<circle"), 4U + 2);  // of two series, and their lines of the legend
  EXPECT_EQ(count_of(svg, "<polyline"), 3U);
  EXPECT_EQ(count_of(svg, "nan"), 0U);
  const Plot without{.panels = {{.series = {{"two", Series::Style::points, {{1, 1}, {10, 2}}}}}}};
  Plot with = without;
  with.panels[0].series[0].points[0].low = 0.5;
  with.panels[0].series[0].points[0].high = 1.5;
  // An interval is a line and its two ends, beside the grid's (which has other ticks for it).
  const auto lines = [](const Plot& of) { return attributes(to_svg(of), "line", "stroke"); };
  EXPECT_EQ(std::ranges::count(lines(with), "#d55e00"), 3);
  EXPECT_EQ(std::ranges::count(lines(without), "#d55e00"), 0);
}

TEST(PlotTest, BarsStandBesideEachOtherOnZero) {
  const Plot plot{.panels = {{.x = {.names = {"fast", "compact"}},
                              .series = {{"a", Series::Style::bars, {{0, 2}, {1, 4}}},
                                         {"b", Series::Style::bars, {{0, 1}, {1, 3}}}}}}};
  const std::string svg = to_svg(plot);
  std::vector<double> lefts;
  std::vector<double> heights;
  std::vector<double> bottoms;
  const std::regex pattern(
      "<rect x=\"([0-9.]+)\" y=\"([0-9.]+)\" width=\"([0-9.]+)\" height=\"([0-9.]+)\" "
      "fill=\"#[d0][05]");
  for (std::sregex_iterator at(svg.begin(), svg.end(), pattern), end; at != end; ++at) {
    const double height = std::stod((*at)[4]);
    if (height == std::stod((*at)[3])) continue;  // the legend's
    lefts.push_back(std::stod((*at)[1]));
    heights.push_back(height);
    bottoms.push_back(std::stod((*at)[2]) + height);
  }
  ASSERT_EQ(heights.size(), 4U);
  EXPECT_NEAR(heights[1], 2 * heights[0], 0.2);
  EXPECT_NEAR(heights[3], 3 * heights[2], 0.2);
  for (const double bottom : bottoms) EXPECT_NEAR(bottom, bottoms[0], 0.2);
  EXPECT_TRUE(lefts[0] < lefts[2] && lefts[2] < lefts[1] && lefts[1] < lefts[3]);
}

TEST(PlotTest, LongNamesHaveRoomBelowTheirPanel) {
  const auto height = [](const std::string& name) {
    const std::string svg = to_svg({.panels = {{.x = {.names = {name, name, name}}}}});
    return std::stod(attributes(svg, "svg", "height").at(0));
  };
  EXPECT_DOUBLE_EQ(height("short"), height("a"));
  EXPECT_GT(height(std::string(60, 'n')), height("a") + 60 * 6 * 0.34);
}

TEST(PlotTest, PanelsShareTheLegendAndTheColours) {
  const auto panel = [](double y) {
    return Panel{.series = {{"measured", Series::Style::line, {{1, y}, {2, y}}},
                            {.title = "printed",
                             .style = Series::Style::points,
                             .points = {{1, y}},
                             .reference = true,
                             .coloured_as = "measured"}}};
  };
  const std::string svg = to_svg({.panels = {panel(1), panel(2), panel(3)}, .columns = 2});
  const std::vector<std::string> all = texts(svg);
  EXPECT_EQ(std::ranges::count(all, "measured"), 1);
  EXPECT_EQ(std::ranges::count(all, "printed"), 1);
  const auto lines = attributes(svg, "polyline", "stroke");
  const auto rims = attributes(svg, "circle", "stroke");
  EXPECT_EQ(lines, std::vector<std::string>(3, lines.at(0)));
  EXPECT_EQ(rims, std::vector<std::string>(4, lines.at(0)));
  EXPECT_EQ(texts(to_svg({.panels = {{.series = {{"alone"}}}}})).size(),
            texts(to_svg({.panels = {{.series = {{"other"}}}}})).size());
}

TEST(PlotTest, ALongSubtitleTakesSeveralLines) {
  std::string words;
  for (int i = 0; i < 100; ++i) words += "word" + std::to_string(i) + ' ';
  const std::vector<std::string> all =
      texts(to_svg({.title = "t", .subtitle = words, .panels = {{}}}));
  std::string joined;
  std::size_t lines = 0;
  for (const std::string& text : all) {
    if (!text.starts_with("word")) continue;
    EXPECT_LT(text.size(), 125U);
    joined += text + ' ';
    ++lines;
  }
  EXPECT_GT(lines, 4U);
  EXPECT_EQ(joined, words + (joined.ends_with("  ") ? " " : ""));
}

TEST(PlotTest, IsADocumentWithoutAnything) {
  const std::string svg = to_svg({});
  EXPECT_TRUE(svg.starts_with("<svg "));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

}  // namespace
}  // namespace crivo::report
