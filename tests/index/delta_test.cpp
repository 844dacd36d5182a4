// SPDX-License-Identifier: Apache-2.0
// Random chains of deltas against a set in memory: every key of the universe is asked after each.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "crivo/build/edit.hpp"
#include "crivo/exact.hpp"
#include "crivo/inspect.hpp"
#include "index/key_sets.hpp"

namespace crivo::test {
namespace {

/// A universe that changes, and which of its keys are members.
class Model {
 public:
  Model(const Workshop& shop, std::uint64_t seed) : shop_(shop), random_(seed) {
    grouped_ = below(2) == 0;
    grow(std::vector<std::uint64_t>{0, 1, 50, 4000}[below(4)]);
    const std::uint64_t one_of = 1 + below(40);
    for (auto& [line, is_member] : keys_) is_member = below(one_of) == 0;
  }

  std::uint64_t below(std::uint64_t end) {
    return std::uniform_int_distribution<std::uint64_t>(0, end - 1)(random_);
  }

  void step() {
    const std::uint64_t one_of = 1 + below(300);
    for (auto& [line, is_member] : keys_) is_member = is_member != (below(one_of) == 0);
    const std::uint64_t grown = below(3) == 0 ? below(400) : 0;
    grow(grown);
    if (below(4) != 0) return;
    std::erase_if(keys_, [&](const auto&) { return below(50) == 0; });
  }

  KeyInput members() const { return write("members", true); }
  KeyInput universe() const { return write("universe", false); }
  ExactOptions exact_options() const { return {.group_delimiter = grouped_ ? "|" : ""}; }
  DeltaOptions delta_options() const { return {.group_delimiter = grouped_ ? "|" : ""}; }

  /// The number of keys that are answered wrongly, one at a time or in a batch.
  std::uint64_t wrong(const Exact& exact) const {
    std::vector<std::string_view> groups;
    std::vector<std::string_view> keys;
    std::vector<ExactAnswer> right;
    for (const auto& [line, is_member] : keys_) {
      const std::size_t end = grouped_ ? line.find('|') + 1 : 0;
      groups.push_back(grouped_ ? std::string_view(line).substr(0, end - 1) : "");
      keys.push_back(std::string_view(line).substr(end));
      right.push_back(is_member ? ExactAnswer::member : ExactAnswer::other);
    }
    std::vector<ExactAnswer> answers(keys.size());
    if (grouped_) {
      exact.contains(groups, keys, answers);
    } else {
      exact.contains(keys, answers);
    }
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const ExactAnswer alone =
          grouped_ ? exact.contains(groups[i], keys[i]) : exact.contains(keys[i]);
      wrong += alone != right[i] || answers[i] != right[i] ? 1 : 0;
    }
    return wrong;
  }

 private:
  void grow(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::string group = "group" + std::to_string(below(1 + keys_.size() / 100)) + "|";
      keys_[(grouped_ ? group : std::string()) + "key" + std::to_string(random_())] =
          below(20) == 0;
    }
  }
  KeyInput write(const char* name, bool members) const {
    std::string lines;
    for (const auto& [line, is_member] : keys_) {
      if (!members || is_member) lines += line + "\n";
    }
    return shop_.write(name, lines, {});
  }

  const Workshop& shop_;
  std::mt19937_64 random_;
  bool grouped_ = false;
  std::map<std::string, bool> keys_;
};

void expect_chain(const Workshop& shop, std::uint64_t seed) {
  SCOPED_TRACE(seed);
  Model model(shop, seed);
  BuildOptions options;
  options.replace = true;
  options.allow_empty_set = true;
  const auto path = [&](const std::string& name) { return shop.at(name); };
  build_exact(model.members(), model.universe(), path("set"), model.exact_options(), options);
  std::filesystem::path known = path("set");
  std::vector<std::filesystem::path> deltas;
  for (std::uint64_t step = 0; step < 5; ++step) {
    model.step();
    deltas.push_back(path("delta" + std::to_string(step)));
    build_delta(known, model.members(), model.universe(), deltas.back(), model.delta_options(),
                options);
    apply_deltas(known, {&deltas.back(), 1}, path("chain"), {.replace = true});
    known = path("chain");
    ASSERT_EQ(model.wrong(Exact::open(known)), 0U);
  }
  // Any of them joined, anywhere: the same answers and the same state.
  const std::uint64_t first = model.below(4);
  const std::uint64_t last = first + 2 + model.below(4 - first);
  const auto some = std::span(deltas).subspan(first, last - first);
  squash_deltas(some, path("joined"), true);
  std::vector<std::filesystem::path> rest(deltas.begin(),
                                          deltas.begin() + static_cast<std::ptrdiff_t>(first));
  rest.push_back(path("joined"));
  rest.insert(rest.end(), deltas.begin() + static_cast<std::ptrdiff_t>(last), deltas.end());
  const DeltaSummary summary = apply_deltas(path("set"), rest, path("other"), {.replace = true});
  EXPECT_EQ(model.wrong(Exact::open(path("other"))), 0U);
  EXPECT_EQ(summary.state, inspect(known).state);
  EXPECT_EQ(summary.deltas, 5U);
}

TEST(Delta, RandomChainsAnswerEveryKey) {
  const Workshop shop;
  const std::uint64_t chains = std::getenv("CRIVO_LONG") != nullptr ? 1000 : 30;
  for (std::uint64_t seed = 0; seed < chains; ++seed) expect_chain(shop, seed);
}

}  // namespace
}  // namespace crivo::test
