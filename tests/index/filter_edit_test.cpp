// SPDX-License-Identifier: Apache-2.0
// Filter files that are changed: all or nothing, whoever else changes them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <thread>
#include <vector>

#include "crivo/build/edit.hpp"
#include "crivo/build/reproduce.hpp"
#include "crivo/filter.hpp"
#include "crivo/inspect.hpp"
#include "file/container.hpp"
#include "file/section_types.hpp"
#include "index/key_sets.hpp"
#include "support/read_file.hpp"

namespace crivo::test {
namespace {

class FilterEdits : public testing::Test {
 protected:
  void build(const FilterOptions& options, const Keys& keys) {
    build_filter(shop_.input(keys), path_, options, Workshop::options());
  }
  std::string bytes() const { return text_of(path_); }
  static FilterEditOptions two_threads() {
    FilterEditOptions options;
    options.resources.threads = 2;
    return options;
  }
  void expect_held(const Keys& keys) const {
    const Filter filter = Filter::open(path_);
    for (const std::string& key : keys) ASSERT_TRUE(filter.contains(std::string_view(key))) << key;
  }
  /// That `change` fails, says so, and changes nothing.
  template <typename Change>
  void expect_refused(ErrorKind kind, const std::string& message, Change&& change) {
    const std::string before = bytes();
    EXPECT_EQ(error_of(kind, change), message);
    EXPECT_TRUE(bytes() == before);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path_.parent_path()), {}), files_);
  }

  /// The filter's section, which is a counting Bloom filter's.
  base::Bytes counters() const {
    const file::Container container = file::Container::open(path_);
    const base::ByteView section = container.require(file::kCountingBloomSection, "filter");
    return {section.begin(), section.end()};
  }

  const Workshop shop_;
  const std::filesystem::path path_ = shop_.at("filter");
  std::ptrdiff_t files_ = 2;  ///< "keys" and "filter"
};

TEST_F(FilterEdits, AddedAndRemoved) {
  const Keys first = numbered_keys(500);
  const Keys second = numbered_keys(300, 500);
  for (const char* type : {"bloom", "counting-bloom"}) {
    build({.type = type, .fpr = 0.001, .capacity = 800}, first);
    const FilterEdit added = add_to_filter(path_, shop_.input(second), two_threads());
    EXPECT_EQ(added.given, 300U);
    EXPECT_EQ(added.keys_before, 500U);
    EXPECT_NEAR(static_cast<double>(added.file.keys), 800, 3);
    EXPECT_EQ(added.capacity, 800U);
    EXPECT_EQ(added.file.asked_fpr, 0.001);
    EXPECT_LE(added.file.fpr, 0.001);
    EXPECT_GT(added.file.fpr, added.fpr_before);
    EXPECT_EQ(added.file.digest, inspect(path_).digest);
    verify(path_);
    expect_held(first);
    expect_held(second);
  }
  const FilterEdit removed = remove_from_filter(path_, shop_.input(first), two_threads());
  EXPECT_EQ(removed.file.keys, 300U);
  expect_held(second);
  EXPECT_LE(removed.file.fpr, 0.001);
  const base::Bytes changed = counters();
  EXPECT_EQ(removed.file.build_id, std::string(32, '0'));
  build({.type = "counting-bloom", .fpr = 0.001, .capacity = 800}, second);
  EXPECT_EQ(counters(), changed);
  EXPECT_NE(inspect(path_).build_id, removed.file.build_id);
}

TEST_F(FilterEdits, CountsAreKept) {
  build({.type = "counting-bloom", .capacity = 1000}, numbered_keys(10));
  for (int i = 0; i < 3; ++i) add_to_filter(path_, shop_.input(numbered_keys(5)), two_threads());
  const Filter filter = Filter::open(path_);
  EXPECT_TRUE(filter.counts());
  EXPECT_EQ(filter.count(numbered_keys(1)[0]), 4U);
  EXPECT_EQ(filter.count(numbered_keys(1, 9)[0]), 1U);
  EXPECT_EQ(filter.count("none"), 0U);
  build({}, numbered_keys(10));
  EXPECT_FALSE(Filter::open(path_).counts());
  EXPECT_EQ(Filter::open(path_).count(numbered_keys(1)[0]), 1U);
}

TEST_F(FilterEdits, AllOrNothing) {
  build({.type = "counting-bloom", .fpr = 0.0001, .capacity = 1000}, numbered_keys(500));
  Keys some = numbered_keys(100);
  some.insert(some.begin() + 70, "foreign");
  some.insert(some.begin() + 90, "another");
  const KeyInput input = shop_.input(some);
  expect_refused(ErrorKind::bad_input,
                 shop_.at("keys").string() + ": key 71: the key \"foreign\" is not in " +
                     path_.string() + " (2 such keys in total); nothing was removed",
                 [&] { remove_from_filter(path_, input, two_threads()); });
  some.push_back(some.front());
  const KeyInput repeated = shop_.input(some);
  const auto add = [&] { add_to_filter(path_, repeated, two_threads()); };
  const std::string before = bytes();
  EXPECT_TRUE(error_of(ErrorKind::bad_input, add)
                  .starts_with(shop_.at("keys").string() + ": key 103: duplicate key"));
  EXPECT_TRUE(bytes() == before);
  FilterEditOptions ignoring = two_threads();
  ignoring.ignore_duplicates = true;
  EXPECT_EQ(add_to_filter(path_, repeated, ignoring).duplicates, 1U);
}

TEST_F(FilterEdits, TypesThatCannot) {
  build({}, numbered_keys(10));
  EXPECT_TRUE(error_of(ErrorKind::usage, [&] {
                add_to_filter(path_, shop_.input(numbered_keys(10)));
              }).starts_with(path_.string() + ": a ribbon filter, which no key can be added to"));
  build({.type = "bloom"}, numbered_keys(10));
  EXPECT_TRUE(
      error_of(ErrorKind::usage, [&] {
        remove_from_filter(path_, shop_.input(numbered_keys(10)));
      }).starts_with(path_.string() + ": a bloom filter, which no key can be removed from"));
  error_of(ErrorKind::io, [&] { add_to_filter(shop_.at("none"), shop_.input({"a"})); });
}

/// New checksums must not vouch for old damage.
TEST_F(FilterEdits, ADamagedFileIsLeftAlone) {
  build({.type = "bloom"}, numbered_keys(1000));
  std::string damaged = bytes();
  damaged[300] = static_cast<char>(damaged[300] ^ 4);
  std::ofstream(path_, std::ios::binary) << damaged;
  const KeyInput input = shop_.input(numbered_keys(10, 5000));
  EXPECT_NE(error_of(ErrorKind::corrupt, [&] { add_to_filter(path_, input); }).find("checksum"),
            std::string::npos);
  EXPECT_TRUE(bytes() == damaged);
  const std::filesystem::path paths[] = {path_, path_};
  error_of(ErrorKind::corrupt, [&] { unite_filters(paths, shop_.at("out")); });
  EXPECT_FALSE(std::filesystem::exists(shop_.at("out")));
}

TEST_F(FilterEdits, ThroughALinkAndWithItsPermissions) {
  build({.type = "bloom", .capacity = 100}, numbered_keys(10));
  std::filesystem::permissions(path_, std::filesystem::perms::owner_read);
  const std::filesystem::path link = shop_.at("link");
  std::filesystem::create_symlink("filter", link);
  add_to_filter(link, shop_.input(numbered_keys(10, 10)), two_threads());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(std::filesystem::status(path_).permissions(), std::filesystem::perms::owner_read);
  expect_held(numbered_keys(20));
}

TEST_F(FilterEdits, AtOneTimeLoseNoKey) {
  constexpr std::uint64_t kEach = 20;
  build({.type = "counting-bloom", .capacity = 1000}, numbered_keys(1));
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        for (std::uint64_t i = 0; i < kEach; ++i) {
          const auto input =
              shop_.input(numbered_keys(2, 1000 * (t + 1) + 2 * i), "keys" + std::to_string(t));
          FilterEditOptions options;
          options.resources.threads = 1;
          add_to_filter(path_, input, options);
        }
      });
    }
  }
  EXPECT_EQ(inspect(path_).keys, 1 + 3 * 2 * kEach);
  for (std::uint64_t t = 0; t < 3; ++t) expect_held(numbered_keys(2 * kEach, 1000 * (t + 1)));
  verify(path_);
}

TEST_F(FilterEdits, United) {
  const FilterOptions options{.type = "bloom", .fpr = 0.001, .capacity = 1000};
  const std::filesystem::path other = shop_.at("other");
  const std::filesystem::path out = shop_.at("out");
  build(options, numbered_keys(400));
  build_filter(shop_.input(numbered_keys(400, 300)), other, options, Workshop::options());
  const std::filesystem::path paths[] = {path_, other};
  const FilterCombination united = unite_filters(paths, out);
  EXPECT_NEAR(united.sizes.united.keys, 700, 4 * united.sizes.united.sigma);
  EXPECT_NEAR(united.sizes.common.value().keys, 100, 4 * united.sizes.common->sigma);
  EXPECT_EQ(united.file.keys, static_cast<std::uint64_t>(std::llround(united.sizes.united.keys)));
  EXPECT_EQ(united.file.asked_fpr, 0.001);
  EXPECT_TRUE(std::ranges::count(united.file.parameters, Parameter{"keys_estimated", true}) == 1);
  EXPECT_EQ(verify_keys(out, shop_.input(numbered_keys(700))), 700U);

  error_of(ErrorKind::usage, [&] { unite_filters(paths, out); });  // it exists
  const FilterCombination both = intersect_filters(paths, out, true);
  EXPECT_EQ(verify_keys(out, shop_.input(numbered_keys(100, 300))), 100U);
  EXPECT_LT(both.file.fpr, united.file.fpr);

  BuildOptions seeded = Workshop::options();
  seeded.seed = 7;
  build_filter(shop_.input(numbered_keys(400)), other, options, seeded);
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { unite_filters(paths, out, true); }),
            other.string() + ": has the seed 7, and " + path_.string() +
                " has 0; build both with one seed");
  error_of(ErrorKind::usage, [&] { unite_filters(std::span(paths, 1), out, true); });
  const std::vector<std::filesystem::path> many(kMaxIntersected + 1, path_);
  error_of(ErrorKind::usage, [&] { intersect_filters(many, out, true); });
  unite_filters(many, out, true);
  EXPECT_EQ(verify_keys(out, shop_.input(numbered_keys(400))), 400U);
}

}  // namespace
}  // namespace crivo::test
