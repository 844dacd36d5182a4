// SPDX-License-Identifier: Apache-2.0
// The table of choices: each row is read and written, recorded and checked, whatever the option.
#include "build/choices.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "crivo/build/build.hpp"
#include "crivo/build/kinds.hpp"
#include "crivo/error.hpp"
#include "crivo/inspect.hpp"
#include "file/container.hpp"
#include "file/section_types.hpp"
#include "index/key_sets.hpp"
#include "shards/part_set.hpp"
#include "support/errors.hpp"

namespace crivo::index {
namespace {

/// A value of the row that is not its default.
std::string another(const Chosen& one) {
  const Choice& row = one.row;
  if (row.type == ChoiceType::name) return std::string(row.names().back());
  if (row.type == ChoiceType::flag) return "1";
  if (row.type == ChoiceType::rate) return "0.125";
  if (row.type == ChoiceType::number) return "9";
  if (row.name == "prefixes") return "p";
  if (row.type == ChoiceType::text) return "a=1:2";
  for (const unsigned number : row.numbers) {
    if (std::to_string(number) != one.text) return std::to_string(number);
  }
  return std::to_string(row.low + 1);
}

template <typename Options>
class ChoiceTables : public testing::Test {};
using All = testing::Types<MphfOptions, FilterOptions, MapOptions, StoreOptions, ExactOptions>;
TYPED_TEST_SUITE(ChoiceTables, All);

TYPED_TEST(ChoiceTables, RowsAreWholeAndHaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Chosen& one : chosen(TypeParam{})) {
    SCOPED_TRACE(one.row.name);
    EXPECT_TRUE(names.insert(one.row.name).second);
    EXPECT_FALSE(one.row.help.empty());
    EXPECT_EQ(one.row.type == ChoiceType::name, one.row.names != nullptr);
    EXPECT_EQ(one.row.option.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"),
              std::string_view::npos);
    for (const std::string_view other : {one.row.instead_of, one.row.needs})
      EXPECT_TRUE(other.empty() || names.contains(other)) << other;
  }
}

/// So no member is without a row, and no row reads what another writes.
TYPED_TEST(ChoiceTables, RowsAreReadAsTheyAreWritten) {
  const std::vector<Chosen> defaults = chosen(TypeParam{});
  for (std::size_t i = 0; i < defaults.size(); ++i) {
    const std::string name(defaults[i].row.name);
    const std::string value = another(defaults[i]);
    const auto changed = chosen(options_of<TypeParam>({{name, value}}));
    for (std::size_t j = 0; j < changed.size(); ++j)
      EXPECT_EQ(changed[j].text, i == j ? value : defaults[j].text) << name << j;
    EXPECT_EQ(every_choice(changed).at(name), value);
  }
}

TYPED_TEST(ChoiceTables, WhatIsNoValueIsRefused) {
  for (const Chosen& one : chosen(TypeParam{})) {
    // Checked with all others, or by who reads it.
    if (one.row.type == ChoiceType::name || one.row.type == ChoiceType::text) continue;
    for (const char* const value : {"", "x", "1x", "-1x"}) {
      const std::string name(one.row.name);
      EXPECT_TRUE(test::error_of(ErrorKind::usage, [&] {
                    (void)options_of<TypeParam>({{name, value}});
                  }).starts_with(name + ": '" + value + "' is not "));
    }
  }
  EXPECT_EQ(test::error_of(ErrorKind::usage,
                           [] {
                             (void)options_of<TypeParam>({{"none", "1"}});
                           }),
            "there is no option none");
}

/// Each structure records what it takes; that makes the same options again, and refuses the rest.
TYPED_TEST(ChoiceTables, StructuresRecordWhatTheyTake) {
  const std::vector<Chosen> rows = chosen(TypeParam{});
  const Choice& structure = rows.front().row;
  for (const std::string_view name : structure.names()) {
    SCOPED_TRACE(name);
    const Choices named{{std::string(structure.name), std::string(name)}};
    const auto options = options_of<TypeParam>(named);
    const file::Metadata metadata = metadata_of(options);
    for (const Chosen& one : rows) {
      const bool has = metadata.contains("crivo." + std::string(one.row.name));
      const bool taken = takes(one.row, name);
      if (one.row.recorded == Recorded::in_metadata && one.row.instead_of.empty()) {
        const bool has_value = !one.text.value_or(std::string(one.row.otherwise)).empty();
        EXPECT_EQ(has, taken && has_value) << one.row.name;
      }
      if (taken) continue;
      Choices other = named;
      other[std::string(one.row.name)] = another(one);
      EXPECT_NE(test::error_of(ErrorKind::usage,
                               [&] { check_choices(options_of<TypeParam>(other), "things"); })
                    .find("not an option of " + std::string(name) + " things"),
                std::string::npos);
    }
    EXPECT_EQ(metadata_of(options_of<TypeParam>(recorded_choices(metadata))), metadata);
  }
}

TEST(Choices, DefaultsAreFilledIn) {
  EXPECT_EQ(metadata_of(FilterOptions{}),
            (file::Metadata{{"crivo.fpr", "0.00390625"}, {"crivo.type", "ribbon"}}));
  EXPECT_EQ(metadata_of(FilterOptions{.bits = 9}),
            (file::Metadata{{"crivo.bits", "9"}, {"crivo.type", "ribbon"}}));
  EXPECT_EQ(metadata_of(FilterOptions{.fpr = 1.0 / 256}), metadata_of(FilterOptions{}));
}

TEST(Choices, CountsHaveRanges) {
  const auto error = [](const auto& options) {
    return test::error_of(ErrorKind::usage, [&] { check_choices(options, "things"); });
  };
  EXPECT_EQ(error(FilterOptions{.type = "fuse", .arity = 5}), "arity: 5 is not 3 or 4");
  EXPECT_EQ(error(FilterOptions{.type = "bloom", .hashes = 65}),
            "hashes: 65 is not between 1 and 64");
  for (const unsigned bits : {0U, 33U}) {
    EXPECT_EQ(error(FilterOptions{.type = "counting-bloom", .counter_bits = bits}),
              "counter_bits: " + std::to_string(bits) + " is not between 1 and 32");
  }
  EXPECT_EQ(error(StoreOptions{.signature_bits = 0}), "signature_bits: 0 is not 8, 16 or 32");
  EXPECT_EQ(error(StoreOptions{.block_bytes = 511}),
            "block_bytes: 511 is not between 512 and 16384");
  EXPECT_EQ(error(FilterOptions{.fpr = 0.5, .bits = 1}), "bits: cannot be used with fpr");
  EXPECT_EQ(error(MapOptions{.algorithm = "fast"}),
            "algorithm: 'fast' is not ribbon, fuse, mwhc2 or mwhc3");
}

/// All of a file but its metadata: its hash tree, one section after the other.
std::string structure_of(const std::filesystem::path& path) {
  const file::Container container = file::Container::open(path);
  std::string all = std::to_string(static_cast<unsigned>(container.hash_tree())) + " ";
  for (const file::SectionEntry& section : container.sections()) {
    if (section.type == file::kMetadataSection) continue;
    all += std::to_string(section.type) + " " +
           std::string(base::as_text(container.bytes_of(section)));
  }
  return all;
}

/// Every row but `except`, of each structure that takes it, changes what `build` makes.
template <typename Options>
void expect_used(std::string_view except, const std::function<std::string(const Options&)>& build) {
  const std::vector<Chosen> rows = chosen(Options{});
  const Choice& structure = rows.front().row;
  for (const std::string_view name : structure.names()) {
    const Choices named{{std::string(structure.name), std::string(name)}};
    const std::string plain = build(options_of<Options>(named));
    for (const Chosen& one : std::span(rows).subspan(1)) {
      if (!takes(one.row, name) || one.row.name == except) continue;
      Choices changed = named;
      changed[std::string(one.row.name)] = one.row.name == "capacity" ? "5000" : another(one);
      EXPECT_NE(build(options_of<Options>(changed)), plain) << name << ": " << one.row.name;
    }
  }
}

/// A row whose choice nothing looks at fails here.
TEST(Choices, AreUsed) {
  const test::Workshop shop;
  test::Keys keys = test::numbered_keys(1000);
  keys.push_back(keys.front());
  const auto path = shop.at("file");
  BuildOptions options = test::Workshop::options();
  options.ignore_duplicates = true;
  test::Keys numbers;
  for (int i = 0; i < 1000; ++i) numbers.push_back(std::to_string(i * i));
  expect_used<FilterOptions>("", [&](const FilterOptions& filter) {
    build_filter(shop.input(filter.type == "range" ? numbers : keys), path, filter, options);
    return structure_of(path);
  });
  expect_used<MphfOptions>("", [&](const MphfOptions& mphf) {
    build_mphf(shop.input(keys), path, mphf, options);
    return structure_of(path);
  });
}

/// A part that lacks a choice, or has one more, was made by no build.
TEST(Choices, OfAPartAreThoseOfABuild) {
  const file::Metadata whole = metadata_of(MphfOptions{});
  EXPECT_EQ(plan_of_metadata(file::Kind::mphf, whole, {.keys = 100}).metadata, whole);
  file::Metadata less = whole;
  less.erase("crivo.signature_bits");
  file::Metadata more = whole;
  more["crivo.effort"] = "0";
  for (const file::Metadata& other : {less, more}) {
    test::error_of(ErrorKind::corrupt,
                   [&] { (void)plan_of_metadata(file::Kind::mphf, other, {.keys = 100}); });
  }
}

/// By names as by options: all kinds have builds that take their choices.
TEST(Choices, BuildKindsByName) {
  const test::Workshop shop;
  const test::Keys keys = test::numbered_keys(100);
  const auto path = shop.at("file");
  const BuildOptions options = test::Workshop::options();
  const std::string digest =
      build_filter(shop.input(keys), path, {.type = "fuse", .fpr = 0.01}, options).digest;
  const Choices choices{{"type", "fuse"}, {"fpr", "0.01"}};
  EXPECT_EQ(build("filter", shop.input(keys), path, choices, options).digest, digest);
  EXPECT_EQ(estimate("filter", shop.input(keys), choices, options).keys, keys.size());
  for (const KindInfo& kind : kinds()) {
    EXPECT_FALSE(kind.help.empty());
    EXPECT_EQ(choices_of(kind.name).front().type == ChoiceType::name, kind.name != "rows");
  }
  EXPECT_TRUE(test::error_of(ErrorKind::usage, [] {
                (void)choices_of("no such");
              }).starts_with("unknown kind 'no such'; use one of: mphf, filter, "));
}

/// What a file records is all that it takes to build it again.
TEST(Choices, AFileIsBuiltAgainFromWhatItRecords) {
  const test::Workshop shop;
  const test::Keys keys = test::numbered_keys(500);
  const auto path = shop.at("file");
  build_filter(shop.input(keys), path, {.type = "cuckoo", .fpr = 0.01, .capacity = 700},
               test::Workshop::options());
  const FileInfo first = inspect(path);
  EXPECT_EQ(first.metadata.at("crivo.semi_sorted"), "0");
  const BuildSummary again = build_filter(
      shop.input(keys), path, options_of<FilterOptions>(recorded_choices(first.metadata)),
      test::Workshop::options());
  EXPECT_EQ(again.digest, first.digest);
}

}  // namespace
}  // namespace crivo::index
