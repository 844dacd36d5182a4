// SPDX-License-Identifier: Apache-2.0
// Exact sets by themselves: every key of a universe is asked, and the sections are damaged.
#include "structures/exact/exact_set.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/arithmetic.hpp"
#include "crivo/error.hpp"
#include "structures/exact/build/builder.hpp"
#include "support/errors.hpp"
#include "support/hashes.hpp"
#include "support/sizes.hpp"

namespace crivo::exact {
namespace {

/// Sections in memory.
struct Output {
  Sections sections() const {
    const auto find = [this](unsigned tag) -> std::optional<base::ByteView> {
      const auto found = filters.find(tag);
      return found == filters.end() ? std::nullopt : std::optional(found->second.view());
    };
    return {groups.view(), find,
            bit.size() == 0 ? std::nullopt : std::optional<base::ByteView>(bit.view())};
  }
  std::vector<base::Bytes> bytes() const {
    std::vector<base::Bytes> all;
    for (const auto& [tag, sink] : filters)
      all.emplace_back(sink.view().begin(), sink.view().end());
    all.emplace_back(bit.view().begin(), bit.view().end());
    all.emplace_back(groups.view().begin(), groups.view().end());
    return all;
  }
  std::uint64_t size() const {
    std::uint64_t sum = 0;
    for (const base::Bytes& section : bytes()) sum += section.size();
    return sum;
  }

  std::map<unsigned, base::MemorySink> filters;
  base::MemorySink bit;
  base::MemorySink groups;
};

/// A key of a universe, of a group by its hash.
struct Entry {
  Hash128 hash;
  std::uint64_t group = 0;
  bool is_member = false;
};

struct Universe final : UniverseKeys {
  void for_each(const base::BuildContext& context, const Visit& visit) const override {
    std::vector<Hash128> hashes;
    std::vector<std::uint64_t> groups;
    for (const Entry& entry : entries) {
      if (entry.is_member && lacks_members) continue;
      hashes.push_back(entry.hash);
      if (grouped) groups.push_back(entry.group);
    }
    const std::size_t half = hashes.size() / 2;
    const auto part = [&](std::size_t begin, std::size_t end) {
      visit(begin == 0 ? 0 : context.threads - 1, std::span(hashes).subspan(begin, end - begin),
            grouped ? std::span<const std::uint64_t>(groups).subspan(begin, end - begin)
                    : std::span<const std::uint64_t>());
    };
    part(0, half);
    part(half, hashes.size());
  }

  std::vector<Entry> entries;
  bool grouped = false;
  bool lacks_members = false;
};

std::uint64_t group_hash(std::uint64_t group) {
  return base::mix64(group + 12345);
}

/// Adds `count` keys of a group, of which about `share` are members.
void add_group(Universe& universe, std::uint64_t group, std::uint64_t count, double share) {
  const auto members = static_cast<std::uint64_t>(std::llround(share * static_cast<double>(count)));
  const auto hashes = test::random_hashes(count, 100 + group);
  for (std::uint64_t i = 0; i < count; ++i)
    universe.entries.push_back({hashes[i], universe.grouped ? group_hash(group) : 0, i < members});
}

stream::SortedHashes members_of(const Universe& universe) {
  std::vector<Entry> members;
  for (const Entry& entry : universe.entries) {
    if (entry.is_member) members.push_back(entry);
  }
  std::ranges::sort(members, {}, &Entry::hash);
  std::vector<Hash128> hashes;
  std::vector<std::uint64_t> groups;
  for (const Entry& entry : members) {
    hashes.push_back(entry.hash);
    if (universe.grouped) groups.push_back(entry.group);
  }
  return stream::SortedHashes(std::move(hashes), std::move(groups));
}

Built build_in(Output& output, const Universe& universe, Parameters parameters = {},
               unsigned threads = 2) {
  parameters.grouped = universe.grouped;
  base::Progress progress;
  const base::BuildContext context{threads, progress};
  const stream::SortedHashes members = members_of(universe);
  Builder builder(members, universe, parameters, context);
  const auto write = [&](const SectionKeys& chosen, base::MemorySink& sink) {
    crivo::build(*chosen.assembly, *chosen.keys, context, sink);
  };
  for (unsigned tag = 1; tag <= 2 * kMostWidth; ++tag) {
    const SectionKeys chosen = builder.filter(tag);
    if (chosen.keys == nullptr) continue;
    write(chosen, output.filters[tag]);
    builder.use_filter(tag, output.filters[tag].view());
  }
  if (const SectionKeys chosen = builder.bit(); chosen.keys != nullptr) write(chosen, output.bit);
  output.groups.append(builder.groups());
  return builder.built();
}

/// Asks for every key, one at a time and all of a group at once.
void expect_exact(const Universe& universe, const Output& output) {
  const ExactSet set(output.sections());
  std::map<std::uint64_t, std::vector<const Entry*>> by_group;
  std::uint64_t wrong = 0;
  for (const Entry& entry : universe.entries) {
    const auto kind =
        universe.grouped ? set.groups().find(entry.group) : std::optional(set.groups().kind(0));
    ASSERT_TRUE(kind);
    wrong += set.contains(*kind, entry.hash) != entry.is_member ? 1 : 0;
    by_group[entry.group].push_back(&entry);
  }
  EXPECT_EQ(wrong, 0U);
  for (const auto& [group, entries] : by_group) {
    std::vector<Hash128> hashes;
    for (const Entry* entry : entries) hashes.push_back(entry->hash);
    std::vector<char> answers(hashes.size());
    const auto kind =
        universe.grouped ? set.groups().find(group) : std::optional(set.groups().kind(0));
    set.contains(*kind, hashes, reinterpret_cast<bool*>(answers.data()));
    for (std::size_t i = 0; i < hashes.size(); ++i) wrong += answers[i] != entries[i]->is_member;
  }
  EXPECT_EQ(wrong, 0U);
}

/// log2 C(n, k) / 8, in bytes.
double bound(double n, double k) {
  const double nats = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  return nats / std::log(2.0) / 8;
}

TEST(ExactSet, KnowsEveryKeyOfItsUniverse) {
  for (const std::uint64_t count : {0U, 1U, 2U, 100U, 20'000U}) {
    for (const double share : {0.0, 0.00005, 0.001, 0.01, 0.1, 0.3, 0.5, 0.7, 0.97, 0.9999, 1.0}) {
      for (const bool lacks_members : {false, true}) {
        SCOPED_TRACE(std::to_string(count) + " keys, " + std::to_string(share));
        Universe universe;
        universe.lacks_members = lacks_members;
        add_group(universe, 0, count, share);
        Output output;
        const Built built = build_in(output, universe);
        expect_exact(universe, output);
        const auto members = members_of(universe).size();
        EXPECT_EQ(built.totals.members, members);
        EXPECT_EQ(built.missing, lacks_members ? members : 0U);
      }
    }
  }
}

TEST(ExactSet, KnowsFewMembersOfMany) {
  Universe universe;
  add_group(universe, 0, 1'000'000 / test::kFewer, 1e-6 * test::kFewer);
  ASSERT_EQ(members_of(universe).size(), 1U);
  Output output;
  build_in(output, universe);
  expect_exact(universe, output);
}

/// Groups of every size and share: tiny, empty of members, with others alone, inverted.
Universe many_groups() {
  Universe universe;
  universe.grouped = true;
  std::uint64_t group = 0;
  for (const std::uint64_t count : {1U, 2U, 10U, 1000U, 20'000U}) {
    for (const double share : {0.0, 0.001, 0.02, 0.2, 0.4, 0.6, 0.9, 0.995, 1.0})
      add_group(universe, group++, count, share);
  }
  return universe;
}

TEST(ExactSet, KnowsEveryKeyOfItsGroups) {
  Universe universe = many_groups();
  for (const bool lacks_members : {false, true}) {
    universe.lacks_members = lacks_members;
    Output output;
    build_in(output, universe);
    expect_exact(universe, output);
    const ExactSet set(output.sections());
    std::array<unsigned, 4> seen{};  // groups of a filter, inverted, none, all
    for (std::uint64_t i = 0; i < set.groups().size(); ++i) {
      const Class kind = set.groups().kind(i);
      ++seen[kind == Class::none ? 2 : kind == Class::all ? 3 : is_inverted(kind) ? 1 : 0];
    }
    for (const unsigned count : seen) EXPECT_NE(count, 0U);
    EXPECT_EQ(set.groups().find(group_hash(1000)), std::nullopt);
    EXPECT_EQ(set.groups().find(0), std::nullopt);
    EXPECT_EQ(set.groups().find(UINT64_MAX), std::nullopt);
  }
}

TEST(ExactSet, SameBytesInAnyOrderWithAnyThreadsAndMemory) {
  Universe universe = many_groups();
  Output first;
  build_in(first, universe, {}, 1);
  std::ranges::reverse(universe.entries);
  Output second;
  build_in(second, universe, {.memory_bytes = 1}, 3);
  EXPECT_TRUE(first.bytes() == second.bytes());
}

TEST(ExactSet, IsNearTheBound) {
  Universe universe;
  const std::uint64_t count = 4'000'000 / test::kFewer;
  add_group(universe, 0, count, 1.0 / 69.7);
  Output output;
  build_in(output, universe);
  const auto n = static_cast<double>(members_of(universe).size());
  // Of a small set the heads of its sections are a share, too.
  const double most = test::kFewer == 1 ? 1.1 : 1.15;
  EXPECT_LT(static_cast<double>(output.size()), most * bound(static_cast<double>(count), n));
}

TEST(ExactSet, KeepsTheRateOfKeysOutside) {
  const auto outside = test::random_hashes(200'000 / test::kFewer, 999);
  for (const std::uint64_t count : {3000U, 100'000U}) {
    for (const double rate : {0.4, 0.01, 0.0005}) {
      Universe universe;
      add_group(universe, 0, count, 0.9);
      Output output;
      build_in(output, universe, {.outside_rate = rate});
      expect_exact(universe, output);
      const ExactSet set(output.sections());
      EXPECT_LE(set.outside_rate(), rate);
      std::uint64_t members = 0;
      for (const Hash128& hash : outside) members += set.contains(set.groups().kind(0), hash);
      const double expected = rate * static_cast<double>(outside.size());
      EXPECT_LE(static_cast<double>(members), expected + 5 * std::sqrt(expected) + 3);
    }
  }
}

TEST(ExactSet, RefusesSectionsThatDoNotGoTogether) {
  Universe universe;
  add_group(universe, 0, 5000, 0.05);
  Output output;
  build_in(output, universe);
  const Sections sound = output.sections();
  const auto error = [](const Sections& sections) {
    return test::error_of(ErrorKind::corrupt, [&] { const ExactSet set(sections); });
  };
  Sections other = sound;
  other.bit.reset();
  EXPECT_NE(error(other).find("disagree"), std::string::npos);
  other = sound;
  other.filter = [](unsigned) { return std::nullopt; };
  EXPECT_NE(error(other).find("no filter"), std::string::npos);
  base::Bytes groups(sound.groups.bytes.begin(), sound.groups.bytes.end());
  other = sound;
  other.groups = base::ByteView(groups);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const unsigned flip : {1U, 2U, 0x80U, 0xffU}) {
      const std::byte was = groups[i];
      groups[i] ^= static_cast<std::byte>(flip);
      try {
        const ExactSet set(other);
        for (const Entry& entry : universe.entries)
          (void)set.contains(set.groups().kind(0), entry.hash);
      } catch (const Error& error_met) {
        EXPECT_EQ(error_met.kind(), ErrorKind::corrupt);
      }
      groups[i] = was;
    }
  }
  for (std::size_t size = 0; size < groups.size(); ++size) {
    other.groups = base::ByteView(groups).first(size);
    EXPECT_NE(error(other).find("section of groups"), std::string::npos);
  }
}

TEST(ExactGroups, RefusesGroupsThatDoNotAscendAndUnknownClasses) {
  const Totals totals{.grouped = true};
  const auto error = [&](const std::vector<Group>& groups) {
    const base::Bytes section = encode_groups(totals, groups);
    return test::error_of(ErrorKind::corrupt,
                          [&] { const Groups opened(base::ByteView{section}); });
  };
  EXPECT_NE(error({{5, Class::none}, {5, Class::none}}).find("do not ascend"), std::string::npos);
  EXPECT_NE(error({{5, static_cast<Class>(67)}}).find("unknown class"), std::string::npos);
}

TEST(ExactGroups, WithoutGroupsEveryHashFindsTheOneClass) {
  const base::Bytes section = encode_groups({.members = 1}, {{0, Class::all}});
  const Groups opened(base::ByteView{section});
  for (const std::uint64_t hash : {std::uint64_t{0}, base::mix64(7), UINT64_MAX})
    EXPECT_EQ(opened.find(hash), Class::all);
}

TEST(ExactGroups, FindsHashesHoweverTheyAreSpread) {
  for (const unsigned shift : {0U, 30U, 60U}) {
    std::vector<Group> groups;
    for (std::uint64_t i = 0; i < 1000; ++i)
      groups.push_back({base::mix64(i) >> shift, Class::all});
    std::ranges::sort(groups, {}, &Group::hash);
    const auto again = std::ranges::unique(groups, {}, &Group::hash);
    groups.erase(again.begin(), again.end());
    const base::Bytes section = encode_groups({.grouped = true}, groups);
    const Groups opened(base::ByteView{section});
    for (const Group& group : groups) {
      EXPECT_EQ(opened.find(group.hash), Class::all);
      const bool is_next = std::ranges::binary_search(groups, group.hash + 1, {}, &Group::hash);
      EXPECT_EQ(opened.find(group.hash + 1).has_value(), is_next);
    }
  }
}

TEST(ExactClasses, ChoosesTheBestWidthAndFewFilters) {
  EXPECT_EQ(best_width({10, 19}, 0), 0U);
  EXPECT_EQ(best_width({10, 20}, 0), 1U);
  EXPECT_EQ(best_width({1, UINT64_MAX}, 0), kMostWidth);
  EXPECT_EQ(best_width({10, 20}, 5), 5U);
  std::array<Sizes, kMostWidth + 1> sizes{};
  sizes[6] = {1'000'000, 70'000'000};
  sizes[7] = {20, 3000};         // too few for a filter of their own
  sizes[20] = {20, 30'000'000};  // would let too many through another
  const auto chosen = choose_widths(sizes, 0);
  EXPECT_EQ(chosen[6], 6U);
  EXPECT_EQ(chosen[7], 6U);
  EXPECT_EQ(chosen[20], 20U);
}

}  // namespace
}  // namespace crivo::exact
