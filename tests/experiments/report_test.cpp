#include "experiments/report.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "experiments/experiment.hpp"
#include "support/errors.hpp"
#include "support/temp_directory.hpp"

namespace crivo::experiments {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ReportTest, ShowsItsPieces) {
  const test::TempDirectory directory;
  const AllResults none;
  Report report(directory.path(), none);
  report.heading(1, "A");
  report.paragraph("Text.");
  report.plot({.name = "p",
               .title = "It's a plot",
               .x = {"n", true},
               .y = {"s", false},
               .series = {{"one", Series::Style::linespoints, {{1, 2}, {10, 3}}},
                          {"two", Series::Style::error_bars, {{1, 1, 0.5}, {10, 2, 0.25}}},
                          {"three", Series::Style::line, {{1, 1}, {10, 10}}},
                          {"four", Series::Style::points, {{5, 5}}},
                          {"five", Series::Style::steps, {{1, 4}, {2, 5}}}}});
  report.save();
  EXPECT_EQ(content(directory.path() / "report.md"), "# A\n\nText.\n\n![It's a plot](p.svg)\n");
  const std::string svg = content(directory.path() / "p.svg");
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
  for (const char* name : {"one", "two", "three", "four", "five"}) {
    EXPECT_NE(svg.find(name), std::string::npos) << name;
  }
  EXPECT_NE(content(directory.path() / "p.dat").find("10 2 0.25\n"), std::string::npos);
}

TEST(ReportTest, KnowsCompleteResultsOnly) {
  const test::TempDirectory directory;
  AllResults all;
  all.emplace("a", Results(directory.path() / "a.json", {"small", "1"}));
  const Report report(directory.path(), all);
  EXPECT_EQ(report.results_of("a"), nullptr);
  EXPECT_EQ(report.results_of("b"), nullptr);
  all.at("a").finish();
  EXPECT_EQ(report.results_of("a"), &all.at("a"));
}

TEST(ReportTest, SaysWhatFailed) {
  const test::TempDirectory directory;
  const AllResults none;
  const std::filesystem::path missing = directory.path() / "no";
  EXPECT_NE(test::error_of(ErrorKind::io, [&] { Report(missing, none).save(); }).find("report.md"),
            std::string::npos);
  EXPECT_NE(test::error_of(ErrorKind::io, [&] { draw({.name = "p"}, missing); }).find("p.dat"),
            std::string::npos);
  // No series: nothing that gnuplot can draw.
  EXPECT_NE(
      test::error_of(ErrorKind::io, [&] { draw({.name = "p"}, directory.path()); }).find("gnuplot"),
      std::string::npos);
}

TEST(RegistryTest, NamesAreDistinctAndPlain) {
  std::string seen = " ";
  for (const Experiment& experiment : experiments()) {
    const std::string name(experiment.name);
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos);
    EXPECT_EQ(seen.find(" " + name + " "), std::string::npos) << name;
    EXPECT_FALSE(experiment.title.empty());
    seen += name + " ";
  }
}

}  // namespace
}  // namespace crivo::experiments
