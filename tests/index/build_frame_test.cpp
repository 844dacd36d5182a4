// SPDX-License-Identifier: Apache-2.0
// Builds take one sample of their input, in every framing, and refuse what they would not read of
// it.

#include "build/build_frame.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>

#include "crivo/build/edit.hpp"
#include "crivo/build/foreign.hpp"
#include "crivo/build/kinds.hpp"
#include "crivo/build/sort.hpp"
#include "index/key_sets.hpp"
#include "structures/build/mphf.hpp"

namespace crivo::test {
namespace {

/// The bytes that this process has read so far.
std::uint64_t bytes_read() {
  std::ifstream file("/proc/self/io");
  std::string name;
  std::uint64_t bytes = 0;
  file >> name >> bytes;
  EXPECT_EQ(name, "rchar:");
  return bytes;
}

TEST(BuildFrame, TakesOneSampleOfItsInput) {
  const Workshop shop;
  const KeyInput input = shop.input(numbered_keys(400'000));
  const BuildOptions options = Workshop::options();  // the frame refers to them
  index::BuildFrame frame(options);
  const index::MemoryNeed need{.key_bytes = 1};
  const std::uint64_t before = bytes_read();
  frame.prepare(input, index::Units::keys, need, {{"filter", 1}});
  const std::uint64_t sample = bytes_read() - before;
  EXPECT_GE(sample, 32U << 14);  // of input::sample_input()
  EXPECT_LT(sample, 40U << 14);
}

/// The part of a build that the plan has for reading an input of `units`.
double share_of_reading(const KeyInput& input, index::Units units) {
  Progress progress;
  BuildOptions options = Workshop::options();
  options.resources.progress = &progress;
  index::BuildFrame frame(options);
  frame.prepare(input, units, {}, {{"map", 100}});
  progress.begin("hash", 1);
  progress.add(1);
  return progress.fraction().value_or(0);
}

TEST(BuildFrame, AKeyWithItsValueIsOneUnitInEveryFraming) {
  const Workshop shop;
  const Keys keys = numbered_keys(1000);
  const KeyInput ended_by_nul = shop.pairs(keys, keys);
  std::string text;
  for (const std::string& key : keys) text.append(key).append("\t").append(key).append("\n");
  const KeyInput lines = shop.write("lines", text, {});
  for (const auto units : {index::Units::values, index::Units::records}) {
    EXPECT_DOUBLE_EQ(share_of_reading(ended_by_nul, units), share_of_reading(lines, units));
  }
  EXPECT_LT(share_of_reading(ended_by_nul, index::Units::keys),
            share_of_reading(ended_by_nul, index::Units::values));  // twice as many, half as long
}

/// What an input can have that one kind alone reads.
struct OwnField {
  std::string_view name;
  KindInput reader;
  void (*give)(KeyInput& input);
};
constexpr OwnField kOwnFields[] = {
    {"universe", KindInput::universe,
     [](KeyInput& input) { input.universe = std::make_shared<const KeyInput>(input); }},
    {"groups", KindInput::groups, [](KeyInput& input) { input.groups = input.paths; }},
    {"null_text", KindInput::rows, [](KeyInput& input) { input.format.null_text = "NULL"; }},
};

template <typename Call>
void expect_refused(const OwnField& field, std::string_view reader, const Call& call) {
  const std::string told = error_of(ErrorKind::usage, call);
  EXPECT_EQ(told.rfind(std::string(field.name) + ": is for the kind ", 0), 0U) << told;
  EXPECT_TRUE(told.ends_with(" alone, and not for " + std::string(reader))) << told;
}

TEST(BuildFrame, RefusesWhatOnlyAnotherKindReads) {
  const Workshop shop;
  const KeyInput plain = shop.write("keys", "key\tfile\t1\n", {});
  for (const OwnField& field : kOwnFields) {
    SCOPED_TRACE(field.name);
    KeyInput input = plain;
    field.give(input);
    for (const KindInfo& kind : kinds()) {
      if (kind.input == field.reader) continue;
      SCOPED_TRACE(kind.name);
      if (kind.input == KindInput::universe && !input.universe)
        input.universe = std::make_shared<const KeyInput>(plain);
      const std::string reader = "the kind " + std::string(kind.name);
      expect_refused(field, reader, [&] { build(kind.name, input, shop.at("out")); });
      expect_refused(field, reader, [&] { (void)estimate(kind.name, input); });
      EXPECT_FALSE(std::filesystem::exists(shop.at("out")));
    }
  }
}

TEST(BuildFrame, RefusesWhatNoOtherCallReads) {
  const Workshop shop;
  const KeyInput plain = shop.write("keys", "key\n", {});
  build_filter(plain, shop.at("filter"), {.type = "cuckoo"});
  build_exact(plain, plain, shop.at("exact"));
  for (const OwnField& field : kOwnFields) {
    SCOPED_TRACE(field.name);
    KeyInput input = plain;
    field.give(input);
    const auto refuse = [&](std::string_view reader, const auto& call) {
      expect_refused(field, reader, call);
    };
    PartitionOptions for_rows{.rows = RowsOptions{}};
    PartitionOptions for_groups;
    for_groups.filter_set = true;
    if (field.reader != KindInput::rows)
      refuse("this partition", [&] { partition_keys(input, shop.at("dealt"), for_rows); });
    if (field.reader != KindInput::groups)
      refuse("this partition", [&] { partition_keys(input, shop.at("dealt"), for_groups); });
    if (field.reader != KindInput::universe)
      refuse("this partition", [&] { partition_keys(input, shop.at("dealt"), {}); });
    KeyInput members = plain;
    members.universe = std::make_shared<const KeyInput>(input);
    refuse("a universe", [&] { build_exact(members, shop.at("out")); });
    refuse("a universe", [&] { partition_keys(members, shop.at("dealt"), {}); });
    refuse("a universe", [&] { build_delta(shop.at("exact"), plain, input, shop.at("out")); });
    refuse("members with a universe beside them",
           [&] { build_exact(input, plain, shop.at("out")); });
    refuse("members with a universe beside them",
           [&] { build_delta(shop.at("exact"), input, plain, shop.at("out")); });
    refuse("a change of a filter", [&] { add_to_filter(shop.at("filter"), input); });
    refuse("a delta of a filter",
           [&] { build_filter_delta(shop.at("filter"), input, shop.at("out")); });
    refuse("a sort", [&] { sort_keys(input, shop.at("out")); });
    refuse("the kind filter", [&] { foreign::build("binary-fuse8", input, shop.at("out")); });
    EXPECT_FALSE(std::filesystem::exists(shop.at("out")));
    EXPECT_FALSE(std::filesystem::exists(shop.at("dealt")));
  }
}

}  // namespace
}  // namespace crivo::test
