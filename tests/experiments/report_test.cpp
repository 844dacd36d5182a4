// SPDX-License-Identifier: Apache-2.0
// Reports have their parts, in both languages, and tell what failed.

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

const report::Plot kPlot{
    .title = "It's a plot",
    .subtitle = {},
    .panels = {{.title = "panel",
                .x = {.title = "n"},
                .y = {.title = "s", .low = 0},
                .series = {{.title = "one", .points = {{.x = 1, .y = 2}, {.x = 10, .y = 3}}}}}}};

TEST(ReportTest, ShowsItsPieces) {
  const test::TempDirectory directory;
  const AllResults none;
  Report report(directory.path(), none);
  report.heading(1, "A");
  report.paragraph("Text.");
  report.plot("p", kPlot);
  report.save();
  EXPECT_EQ(content(directory.path() / "report.md"), "# A\n\nText.\n\n![It's a plot](p.svg)\n");
  EXPECT_EQ(content(directory.path() / "p.svg"), report::to_svg(kPlot));
}

TEST(ReportTest, SpeaksPortuguese) {
  const test::TempDirectory directory;
  const AllResults none;
  Report report(directory.path(), none, Language::portuguese);
  report.paragraph(report.t("One", "Um"));
  report.plot("p", kPlot);
  report.save();
  EXPECT_EQ(content(directory.path() / "report.pt.md"), "Um\n\n![It's a plot](p.pt.svg)\n");
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "report.md"));
  EXPECT_EQ(report.fixed(1234.5, 2), "1234,50");
  EXPECT_EQ(report.grouped(10'935'928), "10.935.928");
  EXPECT_EQ(report.percent(0.125, 1), "12,5 %");
  EXPECT_EQ(report.word(Verdict::inconclusive), "inconclusivo");
}

TEST(ReportTest, IntervalsOfSingleRunsHaveNone) {
  const AllResults none;
  const Report report(".", none);
  EXPECT_EQ(report.interval(summary(std::vector<double>{2.5}), 2), "2.50 ± -");
  EXPECT_EQ(report.interval(summary(std::vector<double>{2, 3}), 1), "2.5 ± 6.4");
  EXPECT_EQ(report.interval(Summary{.mean = report::kNone}, 1), "-");
  EXPECT_EQ(report.interval(attempts_of(std::vector<double>(10, 1))), "1.00 (1.00 - 1.45)");
}

TEST(ReportTest, KnowsResultsThatThereAre) {
  const test::TempDirectory directory;
  AllResults all;
  all.try_emplace("a", directory.path() / "a.json", Circumstances{"small", "1"});
  const Report report(directory.path(), all);
  EXPECT_EQ(report.results_of("a"), nullptr);
  EXPECT_EQ(report.results_of("b"), nullptr);
  all.at("a").put("step", {{"seconds", 1}});
  EXPECT_EQ(report.results_of("a"), &all.at("a"));
}

TEST(ReportTest, SaysWhatFailed) {
  const test::TempDirectory directory;
  const AllResults none;
  const std::filesystem::path missing = directory.path() / "no";
  EXPECT_NE(test::error_of(ErrorKind::io, [&] { Report(missing, none).save(); }).find("report.md"),
            std::string::npos);
  EXPECT_NE(
      test::error_of(ErrorKind::io, [&] { Report(missing, none).plot("p", kPlot); }).find("p.svg"),
      std::string::npos);
}

TEST(RegistryTest, NamesAreDistinctAndPlain) {
  std::string seen = " ";
  for (const Experiment& experiment : experiments()) {
    const std::string name(experiment.name);
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), std::string::npos);
    EXPECT_EQ(seen.find(" " + name + " "), std::string::npos) << name;
    EXPECT_FALSE(experiment.title.empty());
    EXPECT_FALSE(experiment.portuguese.empty());
    seen += name + " ";
  }
}

}  // namespace
}  // namespace crivo::experiments
