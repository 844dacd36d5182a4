// SPDX-License-Identifier: Apache-2.0
// Results are kept step by step, and none of other circumstances is taken over.

#include "experiments/results.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "experiments/run.hpp"
#include "support/errors.hpp"
#include "support/temp_directory.hpp"

namespace crivo::experiments {
namespace {

/// `work` fails with an error of this kind that says `what`.
template <typename Work>
void expect_error(ErrorKind kind, const std::string& what, Work&& work) {
  const std::string message = test::error_of(kind, work);
  EXPECT_NE(message.find(what), std::string::npos) << message;
}

const Circumstances kAbout{"small", "1.2.3"};

class ResultsTest : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return directory_.path() / "e.json"; }
  void write(const std::string& text) const { std::ofstream(path()) << text; }
  std::string read() const {
    std::ifstream file(path());
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  test::TempDirectory directory_;
};

TEST_F(ResultsTest, KeepsEveryStep) {
  {
    Results results(path(), kAbout);
    EXPECT_FALSE(results.has("a/1"));
    results.put("a/1", {{"seconds", 1.5}, {"keys", 7}});
    results.put("b", {{"seconds", 0.25}});
    EXPECT_FALSE(results.complete());
  }
  Results again(path(), kAbout);
  EXPECT_TRUE(again.has("a/1"));
  EXPECT_EQ(again.number("a/1", "seconds"), 1.5);
  EXPECT_EQ(again["a/1"].at("keys").get<int>(), 7);
  EXPECT_EQ(again.number("b", "seconds"), 0.25);
  EXPECT_FALSE(again.has("c"));
  EXPECT_FALSE(again.complete());
  EXPECT_FALSE(again.record().machine.cpu.empty());
  EXPECT_FALSE(again.record().machine.compiler.empty());
  EXPECT_EQ(again.record().steps, 2U);
  EXPECT_EQ(again.record().first.size(), std::string("2026-11-22 08:50").size());
  again.finish();
  EXPECT_TRUE(Results(path(), kAbout).complete());
}

TEST_F(ResultsTest, ARunMeasuresWhatIsMissing) {
  KeySets sets(100);
  ProgressLine progress(true);
  int measured = 0;
  const auto go = [&](const std::string& id) {
    Results results(path(), kAbout);
    experiments::Run run("e", Scale::small, 1, path().parent_path(), sets, results, progress);
    return run.step(id, [&] { return Json{{"number", ++measured}}; }).at("number").get<int>();
  };
  EXPECT_EQ(go("a"), 1);
  EXPECT_EQ(go("b"), 2);
  EXPECT_EQ(go("a"), 1);
  EXPECT_EQ(go("b"), 2);
  EXPECT_EQ(measured, 2);
}

TEST_F(ResultsTest, AStepThatFailsIsNotKept) {
  KeySets sets(100);
  ProgressLine progress(true);
  Results results(path(), kAbout);
  experiments::Run run("e", Scale::small, 1, path().parent_path(), sets, results, progress);
  EXPECT_THROW(run.step("a", []() -> Json { throw Error(ErrorKind::io, "no"); }), Error);
  EXPECT_FALSE(results.has("a"));
  EXPECT_FALSE(Results(path(), kAbout).has("a"));
}

/// A second passes at each look, in which the others keep so many cores busy.
struct Clock {
  std::vector<double> others;  ///< in each measurement; the last again in all that follow
  CpuClock now{};
  std::size_t looks = 0;

  CpuClock operator()() {
    if (looks++ % 2 == 1) {
      const double busy = others[std::min(looks / 2 - 1, others.size() - 1)];
      now.wall += 1;
      now.own += 1;
      now.all += 1 + busy;
    }
    return now;
  }
};

TEST_F(ResultsTest, WhatABusyMachineMeasuredIsMeasuredAgain) {
  KeySets sets(100);
  ProgressLine progress(true);
  const auto go = [&](Busy busy, std::vector<double> others, const std::string& id) {
    Results results(path(), kAbout);
    experiments::Run run("e", Scale::full, 1, path().parent_path(), sets, results, progress, busy,
                         Clock{std::move(others)});
    int times = 0;
    (void)run.step(id, [&] { return Json{{"times", ++times}}; });
    return times;
  };
  EXPECT_EQ(go(Busy::discards, {3, 0.6, 0.4}, "a"), 3);
  EXPECT_EQ(go(Busy::discards, {0}, "b"), 1);
  EXPECT_EQ(go(Busy::keeps, {3}, "c"), 1);
  expect_error(ErrorKind::io, "machine is idle", [&] { go(Busy::discards, {0.6}, "d"); });
  const Results results(path(), kAbout);  // what was measured stays
  EXPECT_NEAR(results.taken("a").value().load, 1.4, 1e-9);
  EXPECT_EQ(results.taken("a").value().cpu_seconds, 1);
  EXPECT_NEAR(results.taken("c").value().load, 4, 1e-9);
  EXPECT_FALSE(results.has("d"));
  EXPECT_FALSE(results.taken("d").has_value());
}

TEST_F(ResultsTest, OlderFilesDoNotSayTheLoad) {
  Results(path(), kAbout).put("a", {{"seconds", 1}});
  const std::string whole = read();
  write(whole.substr(0, whole.find(",\n\"taken\"")) + "}\n");
  const Results results(path(), kAbout);
  EXPECT_TRUE(results.has("a"));
  EXPECT_FALSE(results.taken("a").has_value());
}

TEST_F(ResultsTest, OneCommitMeasuresAllSteps) {
  Circumstances about = kAbout;
  about.commit = "a";
  Results(path(), about).put("x", {{"seconds", 1}}, {.seconds = 2.5});
  about.commit = "b";
  Results other(path(), about);
  EXPECT_EQ(other.record().commit, "a");
  EXPECT_EQ(other.record().seconds, 2.5);
  expect_error(ErrorKind::usage, "commit a", [&] { other.put("y", {{"seconds", 1}}); });
  EXPECT_FALSE(Results(path(), about).has("y"));
}

TEST_F(ResultsTest, AReportTakesAnyCircumstances) {
  Results(path(), kAbout).put("a", {{"seconds", 1}});
  Results any(path());
  EXPECT_EQ(any.about().scale, "small");
  EXPECT_EQ(any.about().version, "1.2.3");
  EXPECT_TRUE(any.measured("a"));
  EXPECT_FALSE(any.measured("b"));
  any.finish();
  expect_error(ErrorKind::corrupt, "'b'", [&] { (void)any.measured("b"); });
}

TEST_F(ResultsTest, RefusesOtherCircumstances) {
  Results(path(), kAbout).put("a", {{"seconds", 1}});
  expect_error(ErrorKind::usage, R"(scale "small")", [&] {
    Results(path(), {"full", kAbout.version});
  });
  expect_error(ErrorKind::usage, R"(version "1.2.3")", [&] { Results(path(), {"small", "2"}); });
}

TEST_F(ResultsTest, RefusesWhatIsNotResults) {
  Results(path(), kAbout).put("a", {{"seconds", 1}});
  const std::string whole = read();
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{}"), whole.substr(0, whole.size() / 2),
        std::string(R"({"about":{},"record":{},"complete":false,"steps":{}})"),
        whole.substr(0, whole.find("\"steps\"")) + R"("steps":[]})"}) {
    write(text);
    expect_error(ErrorKind::corrupt, "e.json", [&] { Results(path(), kAbout); });
  }
  write(whole);
  const Results results(path(), kAbout);
  expect_error(ErrorKind::corrupt, "'b'", [&] { (void)results["b"]; });
  expect_error(ErrorKind::corrupt, "'keys'", [&] { (void)results.number("a", "keys"); });
}

TEST_F(ResultsTest, SaysWhenItCannotWrite) {
  Results results(path().parent_path() / "no" / "e.json", kAbout);
  expect_error(ErrorKind::io, "cannot write", [&] { results.put("a", {{"seconds", 1}}); });
}

}  // namespace
}  // namespace crivo::experiments
