// SPDX-License-Identifier: Apache-2.0
// Exact sets as files: built from inputs of every form, asked by every face.
#include "crivo/exact.hpp"

#include <gtest/gtest.h>

#include "crivo/build/build.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/build/reproduce.hpp"
#include "crivo/build/shards.hpp"
#include "crivo/inspect.hpp"
#include "index/key_sets.hpp"
#include "support/read_file.hpp"

namespace crivo::test {
namespace {

constexpr std::uint64_t kUniverseKeys = 20'000;

/// Keys of a universe, each with its group, of which some are members.
struct Universe {
  Keys keys;
  Keys groups;
  std::vector<bool> is_member;

  /// Lines group TAB key: of the members alone, or of all.
  std::string lines(bool members) const {
    std::string lines;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!members || is_member[i]) ((lines += groups[i]) += '\t') += keys[i] + "\n";
    }
    return lines;
  }
  Keys members() const {
    Keys members;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (is_member[i]) members.push_back(keys[i]);
    }
    return members;
  }
};

/// A key may be in several groups, and be a member in one of them alone.
Universe universe_of_groups() {
  Universe universe;
  for (std::uint64_t i = 0; i < kUniverseKeys; ++i) {
    const std::uint64_t group = i % 7;
    universe.keys.push_back("key" + std::to_string(i / 2));
    universe.groups.push_back("group" + std::to_string(group));
    universe.is_member.push_back(group == 0 || (group == 1 && i % 5 != 0) ||
                                 (group > 2 && i % (10 * group) == 3));
  }
  return universe;
}

void expect_exact(const Exact& exact, const Universe& universe) {
  std::vector<ExactAnswer> answers(universe.keys.size());
  exact.contains(views(universe.groups), views(universe.keys), answers);
  for (std::size_t i = 0; i < universe.keys.size(); ++i) {
    const ExactAnswer right = universe.is_member[i] ? ExactAnswer::member : ExactAnswer::other;
    ASSERT_EQ(exact.contains(universe.groups[i], universe.keys[i]), right);
    const auto group = exact.group(universe.groups[i]);
    const Key key(universe.keys[i]);
    ASSERT_EQ(group.contains(universe.keys[i]), right);
    ASSERT_EQ(group.contains(key), right);
    ASSERT_EQ(exact.contains(key), ExactAnswer::outside);
    ASSERT_EQ(answers[i], right);
  }
}

TEST(Exact, AnswersKeysOfGroups) {
  const Workshop shop;
  const Universe universe = universe_of_groups();
  const KeyInput members = shop.write("members", universe.lines(true), {});
  const KeyInput all = shop.write("universe", universe.lines(false), {});
  const BuildSummary summary =
      build_exact(members, all, shop.at("set"), {.grouped = true}, Workshop::options());
  EXPECT_EQ(summary.kind, "exact");
  EXPECT_TRUE(summary.warnings.empty());
  const Exact exact = Exact::open(shop.at("set"));
  EXPECT_TRUE(exact.grouped());
  EXPECT_EQ(exact.groups(), 7U);
  EXPECT_EQ(exact.size(), universe.members().size());
  EXPECT_EQ(exact.universe_size(), kUniverseKeys);
  expect_exact(exact, universe);
  exact.verify();
  EXPECT_EQ(exact.contains("group9", "key1"), ExactAnswer::outside);
  EXPECT_FALSE(exact.group("group9").is_known());
  EXPECT_EQ(exact.group("group9").contains("key1"), ExactAnswer::outside);
  EXPECT_EQ(exact.contains("key1"), ExactAnswer::outside);
  const std::vector<std::string_view> groups{"group0", "group9", "group9", "group0"};
  const std::vector<std::string_view> keys{universe.keys[0], "key1", "key2", universe.keys[0]};
  std::vector<ExactAnswer> answers(keys.size());
  exact.contains(groups, keys, answers);
  EXPECT_EQ(answers, (std::vector{ExactAnswer::member, ExactAnswer::outside, ExactAnswer::outside,
                                  ExactAnswer::member}));
  // Names that begin at one address, of which one is the other's beginning.
  const std::string text = "group01";
  const std::string_view whole = text;
  exact.contains(std::vector{whole.substr(0, 6), whole, whole.substr(0, 6), whole}, keys, answers);
  EXPECT_EQ(answers, (std::vector{ExactAnswer::member, ExactAnswer::outside,
                                  exact.contains("group0", "key2"), ExactAnswer::outside}));
  KeyInput checked = members;
  checked.universe = std::make_shared<const KeyInput>(all);
  EXPECT_EQ(verify_keys(shop.at("set"), checked), exact.size());
}

TEST(Exact, SameBytesOfAnyFormOrderThreadsAndMemory) {
  const Workshop shop;
  const Universe universe = universe_of_groups();
  const auto bytes = [&](const KeyInput& members, const KeyInput& all, const ExactOptions& exact,
                         unsigned threads = 1, std::uint64_t memory = 0) {
    BuildOptions options = Workshop::options(threads);
    options.resources.memory = memory;
    build_exact(members, all, shop.at("set"), exact, options);
    expect_exact(Exact::open(shop.at("set")), universe);
    return text_of(shop.at("set"));
  };
  const std::string lines = universe.lines(false);
  const KeyInput members = shop.write("members", universe.lines(true), {});
  const std::string first = bytes(members, shop.write("all", lines, {}), {.grouped = true});
  EXPECT_EQ(first, bytes(members, shop.write("all", lines, {}), {.grouped = true}, 2, 9 << 20));
  const std::string slashed = [&] {
    std::string all = lines;
    std::ranges::replace(all, '\t', '/');
    return all;
  }();
  std::string members_slashed = universe.lines(true);
  std::ranges::replace(members_slashed, '\t', '/');
  EXPECT_EQ(first, bytes(shop.write("members", members_slashed, {}), shop.write("all", slashed, {}),
                         {.group_delimiter = "/"}));
  // From memory, and from a source that can be read but once.
  const KeyInput held = records_in(universe.keys, universe.groups);
  const KeyInput again = shop.write("members", universe.lines(true), {});
  EXPECT_EQ(first, bytes(again, held, {.grouped = true}));
  std::size_t at = universe.keys.size();
  const KeyInput once = keys_from([&](KeyWriter& writer) {
    for (int i = 0; i < 100 && at != 0; ++i) {
      --at;
      writer.record(universe.keys[at], universe.groups[at]);
    }
    return at != 0;
  });
  EXPECT_EQ(first, bytes(again, once, {.grouped = true}));
}

TEST(Exact, AnswersKeysAlone) {
  const Workshop shop;
  const Keys keys = numbered_keys(kUniverseKeys);
  const Keys members(keys.begin(), keys.begin() + 300);
  build_exact(shop.input(members, "members"), shop.input(keys), shop.at("set"),
              {.covers = "log=10:20,other=5:5"}, Workshop::options());
  const Exact exact = Exact::open(shop.at("set"));
  EXPECT_FALSE(exact.grouped());
  std::vector<ExactAnswer> answers(keys.size());
  exact.contains(views(keys), answers);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const ExactAnswer right = i < members.size() ? ExactAnswer::member : ExactAnswer::other;
    ASSERT_EQ(exact.contains(keys[i]), right);
    ASSERT_EQ(exact.contains(std::as_bytes(std::span(keys[i]))), right);
    ASSERT_EQ(exact.contains("any group", keys[i]), right);
    ASSERT_EQ(exact.group("any").contains(keys[i]), right);
    ASSERT_EQ(exact.contains(Key(keys[i])), right);
    ASSERT_EQ(exact.group("any").contains(exact.hash_function()(keys[i])), right);
    ASSERT_EQ(answers[i], right);
  }
  EXPECT_EQ(exact.covers(), (std::vector<Coverage>{{"log", 10, 20}, {"other", 5, 5}}));
  EXPECT_EQ(exact.contains("", keys[0], {"log", 20}), ExactAnswer::member);
  EXPECT_EQ(exact.contains("", keys[0], {"log", 21}), ExactAnswer::outside);
  EXPECT_EQ(exact.contains("", keys[0], {"third", 10}), ExactAnswer::outside);
}

TEST(Exact, NumbersAreKeys) {
  const Workshop shop;
  std::vector<std::uint64_t> all(5000);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = 3 * i;
  const std::vector<std::uint64_t> members(all.begin(), all.begin() + 50);
  build_exact(keys_in(members), keys_in(all), shop.at("set"), {}, Workshop::options());
  const Exact exact = Exact::open(shop.at("set"));
  std::vector<ExactAnswer> answers(all.size());
  exact.contains(all, answers);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ExactAnswer right = i < members.size() ? ExactAnswer::member : ExactAnswer::other;
    ASSERT_EQ(exact.contains(all[i]), right);
    ASSERT_EQ(answers[i], right);
  }
}

TEST(Exact, SaysWhatMembersTheUniverseLacks) {
  const Workshop shop;
  const KeyInput members = shop.write("members", "a\nb\nzz\n", {});
  const KeyInput all = shop.write("all", "a\nb\nc\nd\ne\nf\ng\nh\n", {});
  const BuildSummary summary = build_exact(members, all, shop.at("set"), {}, Workshop::options());
  ASSERT_EQ(summary.warnings.size(), 1U);
  EXPECT_NE(summary.warnings[0].text.find("1 member is not in the universe"), std::string::npos);
  EXPECT_EQ(Exact::open(shop.at("set")).contains("zz"), ExactAnswer::member);
  EXPECT_NE(error_of(ErrorKind::bad_input,
                     [&] {
                       build_exact(members, all, shop.at("strict"), {.strict = true},
                                   Workshop::options());
                     })
                .find("1 member is not"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(shop.at("strict")));
}

TEST(Exact, OtherKeysInMemoryAreDealtOutAnew) {
  const Workshop shop;
  const Keys universe = numbered_keys(1000);
  const Keys first(universe.begin(), universe.begin() + 50);
  const Keys last(universe.end() - 50, universe.end());
  for (const Keys& members : {first, last}) {
    KeyInput input = keys_in(members);
    input.universe = std::make_shared<const KeyInput>(keys_in(universe));
    EXPECT_FALSE(partition_keys(input, shop.at("dealt"), {}, Workshop::options()).was_done);
    finish_partition(shop.at("dealt"), Workshop::options());
    build_exact_part(shop.at("dealt"), {0, 1}, shop.at("part"), {}, Workshop::options());
    merge_parts({shop.at("part")}, shop.at("set"), Workshop::options());
    const Exact set = Exact::open(shop.at("set"));
    for (const std::string& key : universe) {
      const bool is_member = std::ranges::count(members, key) != 0;
      ASSERT_EQ(set.contains(key), is_member ? ExactAnswer::member : ExactAnswer::other);
    }
  }
}

TEST(Exact, RefusesWhatItCannotBuild) {
  const Workshop shop;
  const KeyInput pairs = shop.write("pairs", "g\ta\n", {});
  const auto refused = [&](ErrorKind kind, const KeyInput& members, const ExactOptions& exact) {
    return error_of(
        kind, [&] { build_exact(members, pairs, shop.at("set"), exact, Workshop::options()); });
  };
  EXPECT_NE(error_of(ErrorKind::usage, [&] { build_exact(pairs, shop.at("set")); })
                .find("needs the keys that it is to answer for"),
            std::string::npos);
  EXPECT_NE(refused(ErrorKind::usage, pairs, {.group_delimiter = "ab"}).find("one character"),
            std::string::npos);
  for (const char* covers : {"a", "a=1", "a=2:1", "=1:2", "a=1:x"})
    EXPECT_NE(refused(ErrorKind::usage, pairs, {.covers = covers}).find("covers"),
              std::string::npos);
  EXPECT_NE(refused(ErrorKind::bad_input, shop.write("few", "g\ta\nh\n", {}), {.grouped = true})
                .find("few:2: "),
            std::string::npos);
  EXPECT_NE(
      refused(ErrorKind::bad_input, shop.write("twice", "g\ta\ng\ta\n", {}), {.grouped = true})
          .find("twice:2"),
      std::string::npos);
}

}  // namespace
}  // namespace crivo::test
