// SPDX-License-Identifier: Apache-2.0
// Random chains of additions to filters of every type against a set in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "crivo/build/edit.hpp"
#include "crivo/build/options.hpp"
#include "crivo/build/reproduce.hpp"
#include "crivo/exact.hpp"
#include "crivo/filter.hpp"
#include "crivo/inspect.hpp"
#include "crivo/shared.hpp"
#include "index/key_sets.hpp"
#include "support/text_filters.hpp"

namespace crivo::test {
namespace {

using FilePath = std::filesystem::path;

constexpr std::uint64_t kAskedOthers = 20'000;

/// In turn all that a base may be.
std::string base_type(std::uint64_t seed) {
  const auto types = text_filter_types();
  const std::string type(types[seed % types.size()]);
  return type == "split-block-bloom" ? "fuse" : type;
}

/// The keys of a filter by now, and deltas that add some.
class GrowingFilter {
 public:
  GrowingFilter(const Workshop& shop, std::uint64_t seed)
      : shop_(shop),
        random_(seed),
        type_(base_type(seed)),
        others_(numbered_keys(kAskedOthers, 1'000'000'000)) {}

  std::uint64_t below(std::uint64_t end) {
    return std::uniform_int_distribution<std::uint64_t>(0, end - 1)(random_);
  }

  void build(const FilePath& path) {
    add(std::vector<std::uint64_t>{0, 1, 300, 5000}[below(4)]);
    BuildOptions options = Workshop::options();
    options.allow_empty_set = true;
    options.seed = below(1000);
    options.keyed_hash = below(4) == 0;
    FilterOptions filter{.type = type_};
    filter.fpr = 0.02;
    build_filter(shop_.input(keys_), path, filter, options);
    base_fpr_ = Filter::open(path).fpr();
  }

  /// Adds some keys, and gives a list of them with some that were there.
  void write_delta(const FilePath& chain, const FilePath& delta) {
    const std::uint64_t before = keys_.size();
    add(std::vector<std::uint64_t>{0, 1, 40, 5000}[below(4)]);
    Keys given(keys_.begin() + static_cast<std::ptrdiff_t>(below(before + 1)), keys_.end());
    std::ranges::shuffle(given, random_);
    BuildOptions options = Workshop::options(1 + static_cast<unsigned>(below(2)));
    options.allow_empty_set = true;
    FilterDeltaOptions layer;
    if (below(3) == 0) layer.fpr = std::ldexp(1.0, -10);
    asked_ += layer.fpr.value_or(0);
    const BuildSummary done =
        build_filter_delta(chain, shop_.input(given, "given"), delta, layer, options);
    EXPECT_EQ(done.keys, given.size());
    EXPECT_LE(inspect(delta).keys, keys_.size() - before);
  }

  /// Every key is held, and others at the rate that the filter says, which is within its bound.
  void check(const FilePath& path) const {
    const Filter filter = Filter::open(path);
    std::vector<char> answers(std::max<std::size_t>(keys_.size(), kAskedOthers));
    const std::span some(reinterpret_cast<bool*>(answers.data()), keys_.size());
    filter.contains(keys_, some);
    EXPECT_EQ(std::ranges::count(some, true), static_cast<std::ptrdiff_t>(keys_.size()));
    for (const std::string& key : keys_) ASSERT_TRUE(filter.contains(key));
    const std::span wrong(reinterpret_cast<bool*>(answers.data()), kAskedOthers);
    filter.contains(others_, wrong);
    for (std::size_t i = 0; i < kAskedOthers; i += 7)
      ASSERT_EQ(filter.contains(others_[i]), wrong[i]);
    const double expected = filter.fpr() * kAskedOthers;
    EXPECT_LE(std::ranges::count(wrong, true), expected + 6 * std::sqrt(expected) + 3);
    // Half more for a base without keys, whose own rate is 0.
    EXPECT_LE(filter.fpr(), (base_fpr_ == 0 ? 0x1p-8 : 2 * base_fpr_) + asked_);
    const FileInfo info = inspect(path);
    EXPECT_EQ(info.keys, filter.size());
    EXPECT_EQ(info.fpr, filter.fpr());
    std::uint64_t keys = 0;
    for (const LayerInfo& layer : info.layers) keys += layer.keys;
    EXPECT_EQ(keys, filter.size());
    EXPECT_LE(filter.size(), keys_.size());
    verify(path);
    EXPECT_EQ(verify_keys(path, shop_.input(keys_, "all")), keys_.size());
  }

 private:
  void add(std::uint64_t count) {
    const Keys more = numbered_keys(count, keys_.size());
    keys_.insert(keys_.end(), more.begin(), more.end());
  }

  const Workshop& shop_;
  std::mt19937_64 random_;
  std::string type_;
  Keys keys_;
  Keys others_;
  double base_fpr_ = 0;
  double asked_ = 0;
};

void expect_every_key(const Workshop& shop, std::uint64_t seed) {
  SCOPED_TRACE(seed);
  GrowingFilter model(shop, seed);
  model.build(shop.at("base"));
  FilePath known = shop.at("base");
  std::vector<FilePath> deltas;
  for (std::uint64_t step = 0; step < 4; ++step) {
    deltas.push_back(shop.at("delta" + std::to_string(step)));
    model.write_delta(known, deltas.back());
    const DeltaSummary applied =
        apply_deltas(known, {&deltas.back(), 1}, shop.at("chain"), {.replace = true});
    known = shop.at("chain");
    EXPECT_EQ(applied.fpr, Filter::open(known).fpr());
  }
  model.check(known);
  const std::uint64_t first = model.below(3);
  const std::uint64_t last = first + 2 + model.below(3 - first);
  squash_deltas(std::span(deltas).subspan(first, last - first), shop.at("joined"), true);
  std::vector<FilePath> rest(deltas.begin(), deltas.begin() + static_cast<std::ptrdiff_t>(first));
  rest.push_back(shop.at("joined"));
  rest.insert(rest.end(), deltas.begin() + static_cast<std::ptrdiff_t>(last), deltas.end());
  const DeltaSummary summary =
      apply_deltas(shop.at("base"), rest, shop.at("other"), {.replace = true});
  EXPECT_EQ(summary.state, inspect(known).state);
  model.check(shop.at("other"));
}

TEST(FilterDelta, RandomChainsHoldEveryKey) {
  const Workshop shop;
  const std::uint64_t chains = std::getenv("CRIVO_LONG") != nullptr ? 1000 : 16;
  for (std::uint64_t seed = 0; seed < chains; ++seed) expect_every_key(shop, seed);
}

/// A filter with a chain of one delta.
struct Added {
  Added() {
    build_filter(shop.input(numbered_keys(100)), shop.at("base"), {}, Workshop::options());
    add(shop.at("base"), shop.at("one"), 200);
    const FilePath one = shop.at("one");
    apply_deltas(shop.at("base"), {&one, 1}, shop.at("chain"));
  }
  void add(const FilePath& to, const FilePath& delta, std::uint64_t keys) const {
    build_filter_delta(to, shop.input(numbered_keys(keys)), delta, {}, Workshop::options());
  }
  Workshop shop;
};

TEST(FilterDelta, WhatDoesNotFitIsRefused) {
  const Added added;
  const Workshop& shop = added.shop;
  build_filter(shop.input(numbered_keys(101)), shop.at("rival"), {}, Workshop::options());
  build_exact(shop.input(numbered_keys(3)), shop.input(numbered_keys(9), "universe"),
              shop.at("set"), {}, Workshop::options());
  const auto keys = shop.input(numbered_keys(5));
  const FilePath one = shop.at("one");
  (void)error_of(ErrorKind::corrupt, [&] {
    apply_deltas(shop.at("rival"), {&one, 1}, shop.at("x"));
  });
  (void)error_of(ErrorKind::corrupt, [&] {
    apply_deltas(shop.at("chain"), {&one, 1}, shop.at("x"));
  });
  (void)error_of(ErrorKind::corrupt, [&] {
    apply_deltas(shop.at("set"), {&one, 1}, shop.at("x"));
  });
  (void)error_of(ErrorKind::usage, [&] { (void)Exact::open(shop.at("chain")); });
  (void)error_of(ErrorKind::usage, [&] { build_filter_delta(shop.at("set"), keys, shop.at("x")); });
  (void)error_of(ErrorKind::usage, [&] {
    build_delta(shop.at("chain"), keys, shop.input(numbered_keys(9), "universe"), shop.at("x"));
  });
  for (const double fpr : {0.0, 1.0, 0x1p-33, -1.0, std::nan("")})
    (void)error_of(ErrorKind::usage,
                   [&] { build_filter_delta(shop.at("base"), keys, shop.at("x"), {.fpr = fpr}); });
  EXPECT_FALSE(std::filesystem::exists(shop.at("x")));
}

TEST(FilterDelta, AnOpenHandleGoesOverToALongerChain) {
  const Added added;
  Shared<Filter> shared(added.shop.at("chain"));
  EXPECT_FALSE(shared.refresh());
  added.add(added.shop.at("chain"), added.shop.at("two"), 300);
  const FilePath two = added.shop.at("two");
  apply_deltas(added.shop.at("chain"), {&two, 1}, added.shop.at("chain"));
  const auto old = shared.snapshot();
  EXPECT_TRUE(shared.refresh());
  EXPECT_GT(shared.snapshot()->size(), old->size());
  for (const std::string& key : numbered_keys(300)) EXPECT_TRUE(shared.snapshot()->contains(key));
}

}  // namespace
}  // namespace crivo::test
