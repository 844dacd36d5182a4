// SPDX-License-Identifier: Apache-2.0
// The progress of whole calls, watched from another thread.

#include "crivo/progress.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "crivo/build/edit.hpp"
#include "crivo/build/reproduce.hpp"
#include "crivo/filter.hpp"
#include "crivo/inspect.hpp"
#include "crivo/store.hpp"
#include "index/key_sets.hpp"
#include "support/text_filters.hpp"

namespace crivo::test {
namespace {

/// Runs `call` while another thread looks at the progress that it is given: the fraction must
/// ascend from 0 on, stay within 1 and end at 1.
void watch(const std::string& what, const std::function<void(Progress&)>& call) {
  Progress progress;
  double last = 0;
  bool descended = false;
  bool left_range = false;
  {
    const std::jthread watcher([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        const double now = progress.fraction().value_or(0);
        descended = descended || now < last;
        left_range = left_range || now < 0 || now > 1;
        last = now;
        std::this_thread::yield();
      }
    });
    call(progress);
  }
  EXPECT_FALSE(descended) << what;
  EXPECT_FALSE(left_range) << what;
  EXPECT_EQ(progress.fraction(), 1) << what;
}

BuildOptions reporting_to(Progress& progress, bool ignore_duplicates = false) {
  BuildOptions options = Workshop::options(3);
  options.resources.progress = &progress;
  options.ignore_duplicates = ignore_duplicates;
  return options;
}

TEST(Progress, AscendsOverEveryKindOfBuild) {
  const Workshop shop;
  const Keys keys = numbered_keys(30'000);
  const KeyInput input = shop.input(keys);
  const KeyInput pairs = shop.pairs(keys, keys);
  const auto out = shop.at("out");
  for (const std::string_view algorithm : mphf_algorithms()) {
    watch(std::string(algorithm), [&](Progress& progress) {
      build_mphf(input, out, {.algorithm = std::string(algorithm), .signature_bits = 8},
                 reporting_to(progress));
    });
  }
  for (const std::string_view type : test::text_filter_types()) {
    watch(std::string(type), [&](Progress& progress) {
      build_filter(input, out, {.type = std::string(type)}, reporting_to(progress));
    });
  }
  for (const std::string_view algorithm : map_algorithms()) {
    watch(std::string(algorithm), [&](Progress& progress) {
      build_map(input, out, {.algorithm = std::string(algorithm), .signature_bits = 8},
                reporting_to(progress));
    });
  }
  watch("store", [&](Progress& progress) {
    build_store(pairs, shop.at("store"), {}, reporting_to(progress));
  });
}

TEST(Progress, AscendsOverRepeatedPassesAndOtherCalls) {
  const Workshop shop;
  Keys keys = numbered_keys(20'000);
  const Keys again(keys.begin(), keys.begin() + 5000);
  keys.insert(keys.end(), again.begin(), again.end());
  const KeyInput input = shop.input(keys);
  const auto out = shop.at("out");
  watch("duplicates",
        [&](Progress& progress) { build_map(input, out, {}, reporting_to(progress, true)); });
  watch("verify_keys", [&](Progress& progress) {
    verify_keys(out, input, {.resources = {.threads = 2, .progress = &progress}});
  });
  watch("verify", [&](Progress& progress) { verify(out, {.progress = &progress}); });
  watch("none", [&](Progress& progress) {
    build_mphf(shop.input({}, "none"), out, {}, reporting_to(progress));
  });
  const Keys distinct = numbered_keys(20'000);
  build_store(shop.pairs(distinct, distinct), shop.at("store"), {}, Workshop::options());
  watch("verify_keys of a store", [&](Progress& progress) {
    verify_keys(shop.at("store"), shop.pairs(distinct, distinct),
                {.resources = {.threads = 2, .progress = &progress}});
  });
  build_filter(shop.input(distinct), out, {.type = "bloom", .capacity = 60'000},
               Workshop::options());
  watch("filter add", [&](Progress& progress) {
    FilterEditOptions options;
    options.resources.progress = &progress;
    add_to_filter(out, shop.input(numbered_keys(9000, 50'000), "more"), options);
  });
}

/// Whether the last question is asked of `call`, and ends it as any failure does.
void refuse_at_the_end(const std::string& what, const std::function<void(Progress&)>& call) {
  Progress progress;
  int asked = 0;
  progress.set_last_question([&] {
    ++asked;
    progress.cancel();
  });
  error_of(ErrorKind::cancelled, [&] { call(progress); });
  EXPECT_EQ(asked, 1) << what;
  EXPECT_EQ(progress.fraction(), 1) << what;
}

TEST(Progress, CancelsAtTheLastMoment) {
  const Workshop shop;
  const Keys keys = numbered_keys(500);
  const KeyInput input = shop.input(keys);
  const KeyInput pairs = shop.pairs(keys, keys);
  const auto out = shop.at("out");
  const auto replacing = [](Progress& progress) {
    BuildOptions options = reporting_to(progress);
    options.replace = true;
    return options;
  };
  build_filter(shop.input({}, "none"), out, {.type = "bloom", .capacity = 1000},
               Workshop::options());
  const std::string before = inspect(out).digest;
  refuse_at_the_end("mphf",
                    [&](Progress& progress) { build_mphf(input, out, {}, replacing(progress)); });
  refuse_at_the_end("filter add", [&](Progress& progress) {
    FilterEditOptions options;
    options.resources.progress = &progress;
    add_to_filter(out, input, options);
  });
  EXPECT_EQ(inspect(out).digest, before);
  refuse_at_the_end("a free name", [&](Progress& progress) {
    build_mphf(input, shop.at("new"), {}, reporting_to(progress));
  });
  EXPECT_FALSE(std::filesystem::exists(shop.at("new")));
  bool is_called = false;
  refuse_at_the_end("a function", [&](Progress& progress) {
    build_mphf(input, Output::to([&](auto) { is_called = true; }), {}, reporting_to(progress));
  });
  EXPECT_FALSE(is_called);
}

TEST(Progress, CancelsChangesOfAStoreAtTheLastMoment) {
  const Workshop shop;
  const Keys keys = numbered_keys(500);
  const KeyInput pairs = shop.pairs(keys, keys);
  const auto store = shop.at("store");
  refuse_at_the_end("a free name", [&](Progress& progress) {
    build_store(pairs, store, {}, reporting_to(progress));
  });
  EXPECT_FALSE(std::filesystem::exists(store));
  build_store(pairs, store, {}, Workshop::options());
  const std::string before = inspect(store).digest;
  const Keys others(keys.size(), "changed");
  refuse_at_the_end("build -f", [&](Progress& progress) {
    BuildOptions options = reporting_to(progress);
    options.replace = true;
    build_store(shop.pairs(keys, others), store, {}, options);
  });
  refuse_at_the_end("set", [&](Progress& progress) {
    set_records(store, shop.pairs({keys[0]}, {"changed"}), {.resources = {.progress = &progress}});
  });
  EXPECT_EQ(inspect(store).digest, before);
  const auto record = [&] {
    const Store opened = Store::open(store);
    Store::Reader reader(opened);
    return std::string(reader.find(keys[0]).record);
  };
  EXPECT_EQ(record(), keys[0]);
  set_records(store, shop.pairs({keys[0]}, {"changed"}));
  refuse_at_the_end("compact", [&](Progress& progress) {
    compact_store(store, {.resources = {.progress = &progress}});
  });
  EXPECT_EQ(inspect(store).digest, before);
  EXPECT_EQ(record(), "changed");
}

TEST(Progress, CancelsTheWaitForALock) {
  const Workshop shop;
  const Keys keys = numbered_keys(50);
  const KeyInput pairs = shop.pairs(keys, keys);
  const auto store = shop.at("store");
  build_store(pairs, store, {}, Workshop::options());
  const Store::Writer holder(store);
  Progress progress;
  progress.cancel();
  error_of(ErrorKind::cancelled, [&] { const Store::Writer writer(store, &progress); });
  error_of(ErrorKind::cancelled,
           [&] { set_records(store, pairs, {.resources = {.progress = &progress}}); });
  error_of(ErrorKind::cancelled,
           [&] { compact_store(store, {.resources = {.progress = &progress}}); });
  EXPECT_STREQ(progress.phase(), "wait for the lock");
}

TEST(Progress, CountsWhatIsSpilled) {
  const Workshop shop;
  Progress progress;
  BuildOptions options = reporting_to(progress);
  options.resources.memory = std::uint64_t{9} << 20;
  const BuildSummary summary =
      build_mphf(shop.input(numbered_keys(600'000)), shop.at("out"), {}, options);
  ASSERT_NE(summary.temp_bytes, 0U);
  EXPECT_LE(progress.spilled(), summary.temp_bytes);
  EXPECT_GE(progress.spilled(), std::uint64_t{600'000} * 16);  // bytes a hash
  Progress in_memory;
  build_mphf(shop.input(numbered_keys(1000)), shop.at("small"), {}, reporting_to(in_memory));
  EXPECT_EQ(in_memory.spilled(), 0U);
}

TEST(Progress, OfAPipeIsTellingOnceItIsRead) {
  Progress progress;
  const std::array plan{Progress::Phase{"hash", 3}, Progress::Phase{"sort", 1},
                        Progress::Phase{"build", 4}};
  progress.plan(plan);
  progress.begin("hash", 0, Progress::Unit::bytes);
  progress.add(12'345);
  EXPECT_FALSE(progress.fraction());
  progress.begin("sort", 10);
  EXPECT_DOUBLE_EQ(*progress.fraction(), 3.0 / 8);
  progress.add(10);
  EXPECT_DOUBLE_EQ(*progress.fraction(), 4.0 / 8);
}

TEST(Progress, PassesOverWhatIsNotBegunAndStaysAtWhatIsNotPlanned) {
  Progress progress;
  const std::array plan{Progress::Phase{"a", 1}, Progress::Phase{"b", 1}, Progress::Phase{"c", 2}};
  progress.plan(plan);
  progress.begin("a", 10);
  progress.add(100);  // more than was announced
  EXPECT_DOUBLE_EQ(*progress.fraction(), 0.25);
  progress.begin("another", 10);
  progress.add(10);
  EXPECT_DOUBLE_EQ(*progress.fraction(), 0.25);
  progress.begin("c", 10);
  EXPECT_DOUBLE_EQ(*progress.fraction(), 0.25);
  progress.add(5);
  EXPECT_DOUBLE_EQ(*progress.fraction(), 0.625);  // c has all that is left
  progress.begin("a", 10);
  progress.add(10);
  EXPECT_DOUBLE_EQ(*progress.fraction(), 0.625);
  progress.finish();
  EXPECT_DOUBLE_EQ(*progress.fraction(), 1);
}

TEST(Progress, WithoutAPlanEachPhaseIsAWhole) {
  Progress progress;
  progress.begin("a", 4);
  progress.add(4);
  EXPECT_DOUBLE_EQ(*progress.fraction(), 1);
  progress.begin("b", 4);
  EXPECT_DOUBLE_EQ(*progress.fraction(), 0);
  progress.add(1);
  EXPECT_DOUBLE_EQ(*progress.fraction(), 0.25);
}

}  // namespace
}  // namespace crivo::test
