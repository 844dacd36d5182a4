// SPDX-License-Identifier: Apache-2.0
// Filter sets, built and looked up through the public API, beside sets in memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "build/chain_output.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/build/kinds.hpp"
#include "crivo/build/reproduce.hpp"
#include "crivo/error.hpp"
#include "crivo/filter_set.hpp"
#include "crivo/inspect.hpp"
#include "file/container.hpp"
#include "file/section_types.hpp"
#include "index/key_sets.hpp"
#include "lookup/layered_names.hpp"
#include "structures/filter_set/filter_blocks.hpp"
#include "structures/filter_set/filter_set.hpp"

namespace crivo::test {
namespace {

using GroupedKeys = std::map<std::string, std::set<std::string>>;

/// `groups` groups of up to `most` keys of a universe of 4 times as many, with odd names.
GroupedKeys random_groups(std::size_t groups, std::uint64_t most, unsigned seed) {
  std::mt19937_64 random(seed);
  GroupedKeys all;
  while (all.size() < groups) {
    std::string name(1 + random() % (random() % 16 == 0 ? 255 : 12), ' ');
    for (char& c : name) {
      do c = static_cast<char>(random());
      while (c == '\0' || c == '\t' || c == '\n');
    }
    auto& keys = all[name];
    const std::uint64_t size = 1 + random() % most;
    while (keys.size() < size) keys.insert("key " + std::to_string(random() % (4 * most)));
  }
  return all;
}

std::string lines_of(const GroupedKeys& groups, unsigned seed) {
  std::vector<std::string> lines;
  for (const auto& [name, keys] : groups) {
    for (const std::string& key : keys) lines.push_back(name + '\t' + key + '\n');
    lines.push_back(name + '\t' + *keys.begin() + '\n');  // equal keys are one
  }
  std::shuffle(lines.begin(), lines.end(), std::mt19937_64(seed));
  std::string all;
  for (const std::string& line : lines) all += line;
  return all;
}

std::uint64_t keys_of(const GroupedKeys& groups) {
  std::uint64_t keys = 0;
  for (const auto& [_, own] : groups) keys += own.size();
  return keys;
}

/// No way of asking misses a key of a group; counts the answers for others, of which `wrong` were
/// "maybe".
void expect_groups(const FilterSet& set, const GroupedKeys& groups, std::uint64_t size,
                   std::uint64_t& asked, std::uint64_t& wrong) {
  ASSERT_EQ(set.groups(), groups.size());
  ASSERT_EQ(set.size(), size);
  std::vector<std::string> keys;
  for (int i = 0; i < 100; ++i) keys.push_back("absent " + std::to_string(i));
  std::uint64_t number = 0;
  for (const auto& [name, own] : groups) {
    EXPECT_EQ(set.name(number), name);
    EXPECT_EQ(set.find(name), number);
    EXPECT_EQ(set.find(name + "x").has_value(), groups.contains(name + "x"));
    std::vector<KeyHash> hashes;
    for (const std::string& key : own) hashes.push_back(set.hash_function()(key));
    std::vector<char> answers(own.size());
    set.contains(number, hashes, std::span(reinterpret_cast<bool*>(answers.data()), own.size()));
    EXPECT_EQ(std::ranges::count(answers, 1), static_cast<std::ptrdiff_t>(own.size()));
    keys.push_back(*own.rbegin());
    ++number;
  }
  std::vector<KeyHash> hashes;
  for (const std::string& key : keys) hashes.push_back(set.hash_function()(key));
  std::vector<std::uint64_t> bitmaps(keys.size() * set.bitmap_words());
  std::vector<std::uint64_t> one(set.bitmap_words());
  std::vector<std::uint32_t> counts(groups.size());
  std::vector<std::uint32_t> counted(groups.size());
  set.groups_of(hashes, bitmaps);
  set.count(hashes, counts);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    set.groups_of(keys[i], one);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), bitmaps.begin() + i * one.size()));
    std::uint64_t g = 0;
    for (const auto& [name, own] : groups) {
      const bool maybe = (one[g / 64] >> (g % 64) & 1) != 0;
      EXPECT_EQ(set.contains(g, keys[i]), maybe);
      EXPECT_EQ(set.contains(name, hashes[i]), maybe);
      counted[g++] += maybe ? 1 : 0;
      if (own.contains(keys[i])) {
        EXPECT_TRUE(maybe);
      } else {
        ++asked;
        wrong += maybe ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(counts, counted);
}

void expect_rate(double rate, std::uint64_t asked, std::uint64_t wrong) {
  const double mean = rate * static_cast<double>(asked);
  EXPECT_LT(static_cast<double>(wrong), mean * 1.03 + 5 * std::sqrt(mean) + 5);
}

/// Of each type and layout.
const std::vector<FilterSetOptions> kSets{{.type = "ribbon"},
                                          {.type = "fuse"},
                                          {.type = "split-block-bloom"},
                                          {.type = "bloom"},
                                          {.type = "bloom", .layout = FilterSetLayout::blocks}};

FilterSetOptions with_rate(FilterSetOptions set, double fpr) {
  set.fpr = fpr;
  return set;
}

TEST(FilterSet, MissesNoKeyAndKeepsItsRate) {
  const Workshop shop;
  for (const FilterSetOptions& options : kSets) {
    for (const double fpr : {0.3, 0.01, 1.0 / 256, 1e-5}) {
      std::uint64_t asked = 0;
      std::uint64_t wrong = 0;
      for (unsigned seed = 0; seed < 6; ++seed) {
        const GroupedKeys groups = random_groups(1 + 40 * seed, seed % 2 == 0 ? 30 : 400, seed);
        const KeyInput input = shop.write("pairs", lines_of(groups, seed), {.binary_lines = true});
        const BuildSummary summary =
            build_filter_set(input, shop.at("out"), with_rate(options, fpr), Workshop::options());
        EXPECT_EQ(summary.keys, keys_of(groups));
        const FilterSet set = FilterSet::open(shop.at("out"));
        EXPECT_LE(set.fpr(), fpr * 1.0000001);
        expect_groups(set, groups, keys_of(groups), asked, wrong);
        verify(shop.at("out"));
      }
      expect_rate(fpr, asked, wrong);
    }
  }
}

/// Random sets of any type and rate beside maps in memory. CRIVO_LONG=1: 10,000 sets in the place
/// of 40.
TEST(FilterSet, MissesNoKeyOfRandomSets) {
  const Workshop shop;
  std::mt19937_64 random(23);
  const std::array<std::string, 4> types{"ribbon", "fuse", "split-block-bloom", "bloom"};
  const bool is_long = std::getenv("CRIVO_LONG") != nullptr;
  std::map<double, std::pair<std::uint64_t, std::uint64_t>> by_rate;  // asked, wrong
  for (unsigned round = 0; round < (is_long ? 10'000U : 40U); ++round) {
    const double fpr = std::array{0.3, 0.01, 1e-4}[random() % 3];
    const GroupedKeys groups = random_groups(1 + random() % 20, 1 + random() % 60, 1'000 + round);
    build_filter_set(shop.write("pairs", lines_of(groups, round), {.binary_lines = true}),
                     shop.at("out"), {.type = types[random() % types.size()], .fpr = fpr},
                     Workshop::options());
    auto& [asked, wrong] = by_rate[fpr];
    expect_groups(FilterSet::open(shop.at("out")), groups, keys_of(groups), asked, wrong);
  }
  for (const auto& [fpr, counts] : by_rate) expect_rate(fpr, counts.first, counts.second);
}

TEST(FilterSet, HasGroupsOfManyCells) {
  const Workshop shop;
  for (const FilterSetOptions& options : kSets) {
    GroupedKeys groups = random_groups(20, 50, 3);
    // 32 cells, which are not gone through one by one.
    for (int i = 0; i < 80'000; ++i) groups["large"].insert(std::to_string(i));
    for (int i = 0; i < 4'095; ++i) groups["full"].insert(std::to_string(i));
    for (int i = 0; i < 4'096; ++i) groups["over"].insert(std::to_string(i));
    const KeyInput input = shop.write("pairs", lines_of(groups, 1), {});
    build_filter_set(input, shop.at("out"), with_rate(options, 0.001), Workshop::options());
    const FilterSet set = FilterSet::open(shop.at("out"));
    std::uint64_t asked = 0;
    std::uint64_t wrong = 0;
    expect_groups(set, groups, keys_of(groups), asked, wrong);
    expect_rate(0.001, asked, wrong);
    EXPECT_FALSE(reproduce(shop.at("out"), input).difference);
  }
}

/// What a file has beside a filter's section is left out by the difference of two files.
TEST(FilterSet, TakesForFuseWhatFiltersOfThatTypeTake) {
  const Workshop shop;
  for (const std::uint64_t keys : {100U, 1'000U, 4'095U, 4'096U, 50'000U, 900'000U}) {
    std::string plain;
    std::string grouped;
    for (std::uint64_t i = 0; i < keys; ++i) {
      plain += std::to_string(i) + '\n';
      grouped += "g\t" + std::to_string(i) + '\n';
    }
    const BuildSummary one = build_filter(shop.write("keys", plain, {}), shop.at("one"),
                                          {.type = "fuse", .no_tree = true}, Workshop::options());
    const BuildSummary none = build_filter(shop.write("no-keys", "", {}), shop.at("no-one"),
                                           {.type = "fuse", .no_tree = true}, Workshop::options());
    const BuildSummary set =
        build_filter_set(shop.write("pairs", grouped, {}), shop.at("set"),
                         {.type = "fuse", .no_tree = true}, Workshop::options());
    const BuildSummary empty =
        build_filter_set(shop.write("no-pairs", "", {}), shop.at("empty"),
                         {.type = "fuse", .no_tree = true}, Workshop::options());
    const auto filter = static_cast<double>(one.bytes - none.bytes);
    const auto group = static_cast<double>(set.bytes - empty.bytes);
    // Beside it stand places of cells and groups and the name, and sums of pages.
    EXPECT_LE(group, 1.02 * filter + 128) << keys;
    const FilterSet opened = FilterSet::open(shop.at("set"));
    for (std::uint64_t i = 0; i < keys; i += 7)
      ASSERT_TRUE(opened.contains("g", std::to_string(i))) << i;
    verify(shop.at("set"));
  }
}

TEST(FilterSet, IsEmpty) {
  const Workshop shop;
  BuildOptions options = Workshop::options();
  build_filter_set(shop.write("none", "", {}), shop.at("out"), {}, options);
  const FilterSet set = FilterSet::open(shop.at("out"));
  EXPECT_EQ(set.groups(), 0U);
  EXPECT_EQ(set.fpr(), 0);
  EXPECT_FALSE(set.find("a"));
  EXPECT_FALSE(set.contains(0, "a"));
  set.visit_groups("a", [](std::uint64_t) { FAIL(); });
}

/// Those that a source names have a place among the others, and no key.
TEST(FilterSet, HasGroupsWithoutKeys) {
  const Workshop shop;
  const GroupedKeys groups = random_groups(100, 30, 4);
  Keys keys;
  Keys names;
  for (const auto& [name, own] : groups) {
    for (const std::string& key : own) {
      keys.push_back(key);
      names.push_back(name);
    }
  }
  KeyInput input = records_in(keys, names);
  for (int i = 0; i < 70; ++i) input.groups.push_back("empty " + std::to_string(i));
  input.groups.push_back(groups.begin()->first);
  for (const FilterSetOptions& options : kSets) {
    EXPECT_EQ(build_filter_set(input, shop.at("out"), options, Workshop::options()).keys,
              keys.size());
    const FilterSet set = FilterSet::open(shop.at("out"));
    ASSERT_EQ(set.groups(), groups.size() + 70);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      EXPECT_TRUE(set.contains(names[i], keys[i]));
      set.visit_groups(keys[i], [&](std::uint64_t group) {
        EXPECT_TRUE(groups.contains(std::string(set.name(group))));
      });
    }
    verify(shop.at("out"));
    EXPECT_FALSE(reproduce(shop.at("out"), input).difference);
  }
  input.groups.emplace_back("empty 1");
  const std::string refused =
      error_of(ErrorKind::usage, [&] { build_filter_set(input, shop.at("new"), {}); });
  EXPECT_EQ(refused, "inputs 2 and 72 have one name, \"empty 1\", and each is a group of its own");
}

/// The names need not be those of the files.
TEST(FilterSet, NamesTheGroupsOfFiles) {
  const Workshop shop;
  KeyInput files = shop.input({"a", "b"}, "one");
  files.paths.push_back(shop.input({"b"}, "other").paths.front());
  files.groups = {"z", "y"};
  build_filter_set(files, shop.at("out"), {.fpr = 1e-9}, Workshop::options());
  const FilterSet set = FilterSet::open(shop.at("out"));
  EXPECT_TRUE(set.contains("z", "a"));
  EXPECT_FALSE(set.contains("y", "a"));
  EXPECT_EQ(verify_keys(shop.at("out"), files), 3U);
  std::ranges::reverse(files.groups);
  error_of(ErrorKind::mismatch, [&] { verify_keys(shop.at("out"), files); });
  files.groups.pop_back();
  error_of(ErrorKind::usage, [&] { build_filter_set(files, shop.at("new"), {}); });
}

TEST(FilterSet, TakesNumbersBytesAndHashesOfItsOwn) {
  const Workshop shop;
  build_filter_set(shop.write("one", "g\tabcdefgh\n", {}), shop.at("out"), {.fpr = 1e-9},
                   Workshop::options());
  const FilterSet set = FilterSet::open(shop.at("out"));
  const std::string key = "abcdefgh";
  EXPECT_TRUE(set.contains("g", std::uint64_t{0x6867666564636261}));
  EXPECT_TRUE(set.contains("g", std::as_bytes(std::span(key))));
  EXPECT_TRUE(set.contains("g", Key(key)));
  EXPECT_FALSE(set.contains("h", key));
  build_filter_set(shop.write("one", "g\ta\n", {}), shop.at("other"), {}, [] {
    BuildOptions other = Workshop::options();
    other.seed = 1;
    return other;
  }());
  const FilterSet other = FilterSet::open(shop.at("other"));
  EXPECT_THROW((void)set.contains(0, other.hash_function()(key)), Error);
}

void expect_corrupt(const std::filesystem::path& chain) {
  try {
    (void)FilterSet::open(chain);
    FAIL() << "is opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::corrupt) << error.what();
  }
}

/// Layers answer as one set by every call; 100 groups at a time are added, and some removed.
TEST(FilterSet, IsAChainOfLayers) {
  const Workshop shop;
  for (const FilterSetOptions& options : kSets) {
    GroupedKeys groups = random_groups(100, 60, 3);
    const FilterSetOptions set = with_rate(options, 0.01);
    build_filter_set(shop.write("pairs", lines_of(groups, 1), {}), shop.at("set"), set,
                     Workshop::options());
    std::filesystem::path from = shop.at("set");
    std::uint64_t removed_keys = 0;
    for (unsigned step = 0; step < 3; ++step) {
      LayersEdit edit;
      while (edit.removed.size() < 20) {
        const auto group = std::next(groups.begin(), 3 * step);
        edit.removed.push_back(group->first);
        removed_keys += group->second.size();
        groups.erase(group);
      }
      GroupedKeys added = random_groups(100, 60, 10 + step);
      added[edit.removed.front()].insert("it came back");
      std::erase_if(added, [&](const auto& one) { return groups.contains(one.first); });
      const LayersChange done = add_groups(from, shop.write("more", lines_of(added, 1), {}),
                                           shop.at("chain"), edit, Workshop::options());
      groups.insert(added.begin(), added.end());
      EXPECT_EQ(done.names, groups.size());
      EXPECT_EQ(done.layers, step + 2);
      from = shop.at("chain");
    }
    std::uint64_t asked = 0;
    std::uint64_t wrong = 0;
    const FilterSet chain = FilterSet::open(from);
    EXPECT_EQ(chain.size(), keys_of(groups) + removed_keys);
    expect_groups(chain, groups, keys_of(groups) + removed_keys, asked, wrong);
    expect_rate(0.01, asked, wrong);
    verify(from);
    compact_groups(from);
    const FilterSet compacted = FilterSet::open(from);
    expect_groups(compacted, groups, compacted.size(), asked, wrong);
    expect_rate(0.01, asked, wrong);
    EXPECT_NEAR(static_cast<double>(compacted.size()), static_cast<double>(keys_of(groups)),
                0.05 * static_cast<double>(keys_of(groups)));
    std::vector<std::uint64_t> before(chain.bitmap_words());
    std::vector<std::uint64_t> after(chain.bitmap_words());
    chain.groups_of("absent", before);
    compacted.groups_of("absent", after);
    EXPECT_EQ(before, after);
  }
}

/// A chain is of filters of one form, and a name of one group.
TEST(FilterSet, IsNoChainOfLayersThatDoNotBelongTogether) {
  const Workshop shop;
  const KeyInput one = shop.write("one", "a\tk\nb\tk\n", {});
  build_filter_set(one, shop.at("a"), {}, Workshop::options());
  build_filter_set(one, shop.at("rate"), {.fpr = 0.5}, Workshop::options());
  build_filter_set(one, shop.at("type"), {.type = "bloom"}, Workshop::options());
  build_filter_set(shop.write("two", "b\tk\nc\tk\n", {}), shop.at("twice"), {},
                   Workshop::options());
  BuildOptions other = Workshop::options();
  other.seed = 7;
  build_filter_set(shop.write("two", "c\tk\n", {}), shop.at("seed"), {}, other);
  const auto chain_of = [&](const char* second, std::uint64_t names, std::uint64_t removed) {
    const auto first = file::Container::open(shop.at("a"));
    const auto next = file::Container::open(shop.at(second));
    RemovedNames gone(names);
    if (removed < names) gone.add(removed);
    exact::ChainOutput output(shop.at("a"), shop.at("chain"), true, nullptr);
    std::vector<Warning> warnings;
    output.publish({.state = state_with(first.digest(), next.digest()),
                    .files = {&first, &next},
                    .keys = first.header().keys + next.header().keys,
                    .removed = gone.encode()},
                   warnings);
    return shop.at("chain");
  };
  for (const char* const second : {"rate", "type", "twice", "seed", "a"})
    expect_corrupt(chain_of(second, 4, 4));
  expect_corrupt(chain_of("twice", 3, 1));
  EXPECT_EQ(FilterSet::open(chain_of("twice", 4, 1)).groups(), 3U);
  EXPECT_EQ(FilterSet::open(chain_of("twice", 4, 2)).groups(), 3U);
}

template <typename Set>
void ask_any(const Set& set, std::mt19937_64& random) {
  const std::uint64_t groups = set.header().groups;
  if (groups > 1'000'000) return;
  std::vector<std::uint64_t> bitmap((groups + 63) / 64);
  const Hash128 hash{random(), random()};
  set.groups_of({&hash, 1}, bitmap.data(), bitmap.size());
  for (int i = 0; i < 5 && groups != 0; ++i) {
    const std::uint64_t group = random() % groups;
    bool answer = false;
    set.contains(group, {&hash, 1}, &answer);
    (void)set.find(set.name(group));
    (void)set.size_of(group);
  }
  set.check();
}

/// Whatever a byte of the sections is, no lookup reads outside of them, and what is not sound is
/// refused by check().
TEST(FilterSet, IsSafeWithAnyBytes) {
  const Workshop shop;
  GroupedKeys groups = random_groups(40, 60, 5);
  for (int i = 0; i < 9'000; ++i) groups["large"].insert(std::to_string(i));
  std::mt19937_64 random(9);
  for (const FilterSetOptions& options : kSets) {
    build_filter_set(shop.write("pairs", lines_of(groups, 1), {}), shop.at("out"), options,
                     Workshop::options());
    const auto container = file::Container::open(shop.at("out"), file::Loading::mapped);
    const auto table = container.require(file::kFilterGroupsSection, "groups");
    const auto filters = container.require(file::kFiltersSection, "filters");
    const base::Bytes sound(table.begin(), table.end());
    for (int i = 0; i < 3'000; ++i) {
      base::Bytes bytes = sound;
      for (std::uint64_t flips = 1 + random() % 3; flips != 0; --flips)
        bytes[random() % bytes.size()] ^= static_cast<std::byte>(1 + random() % 255);
      try {
        if (options.layout == FilterSetLayout::blocks) {
          const filter_set::FilterBlocks set(bytes, filters);
          ask_any(set, random);
          for (std::uint64_t b = 0; b < std::min<std::uint64_t>(set.header().blocks, 5); ++b)
            (void)set.bytes(set.block(b));
        } else {
          const filter_set::GroupedFilters set(bytes, filters);
          ask_any(set, random);
        }
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::corrupt);
      }
    }
  }
}

}  // namespace
}  // namespace crivo::test
