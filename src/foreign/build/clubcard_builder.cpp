// SPDX-License-Identifier: Apache-2.0
#include "foreign/build/clubcard_builder.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/parallel_within.hpp"
#include "crivo/error.hpp"
#include "foreign/build/clubcard_encoding.hpp"
#include "foreign/build/matrix.hpp"

namespace crivo::foreign {
namespace {

/// A certificate in a system of its issuer.
struct Placed {
  std::uint32_t row = 0;
  Coefficients coefficients;

  friend auto operator<=>(const Placed&, const Placed&) = default;
};

/// All certificates of an issuer.
struct Group {
  Issuer issuer{};
  Serials members;
  Serials passing;                    ///< of the universe, as its approximate system says
  std::uint64_t distinct = 0;         ///< members
  std::uint64_t universe = 0;         ///< certificates
  ClubcardBlock block{};              ///< but for the views
  std::uint64_t missing = 0;          ///< members that the universe lacks
  std::vector<std::string> excepted;  ///< others that the exact system could not hold
};

/// Columns of the approximate system of so many members in a universe: 0 where others are fewer.
unsigned columns_of(std::uint64_t members, std::uint64_t universe) noexcept {
  if (members == 0 || 2 * members >= universe) return 0;
  const std::uint64_t ratio = (universe - members) / members;
  return static_cast<unsigned>(std::bit_width(ratio)) - 1;
}

class Build {
 public:
  Build(const ClubcardInput& input, const base::BuildContext& context)
      : input_(input),
        context_(context),
        issuers_(context.threads),
        members_(input.members, input.grouping, issuers_),
        universe_(input.universe, input.grouping, issuers_) {}

  BuiltClubcard run() {
    read_members();
    count_universe();
    choose_columns();
    build_approx();
    find_passing();
    build_exact();
    write();
    return std::move(built_);
  }

 private:
  using PerThread = std::vector<std::vector<Serials>>;  ///< by the issuers' numbers

  static Serials& of(std::vector<Serials>& all, std::uint32_t issuer) {
    if (issuer >= all.size()) all.resize(issuer + 1);
    return all[issuer];
  }
  void join(PerThread& threads, Serials Group::*where) {
    for (std::vector<Serials>& mine : threads) {
      for (std::size_t i = 0; i < mine.size(); ++i) (groups_[i].*where).append(std::move(mine[i]));
    }
  }
  /// As many as there are issuers by now.
  void add_groups() {
    while (groups_.size() < issuers_.size()) {
      const Issuer issuer = issuers_[static_cast<std::uint32_t>(groups_.size())];
      groups_.emplace_back().issuer = issuer;
    }
  }

  void read_members() {
    context_.progress.begin("read", input::regular_input_bytes(input_.members).value_or(0),
                            Progress::Unit::bytes);
    PerThread threads(context_.threads);
    members_.for_each(context_,
                      [&](unsigned thread, std::uint32_t issuer, std::string_view serial,
                          const input::Place&) { of(threads[thread], issuer).add(serial); });
    add_groups();
    join(threads, &Group::members);
  }

  void count_universe() {
    begin_universe();
    std::vector<std::vector<std::uint64_t>> threads(context_.threads);
    universe_.for_each(context_, [&](unsigned thread, std::uint32_t issuer, std::string_view,
                                     const input::Place&) {
      std::vector<std::uint64_t>& mine = threads[thread];
      if (issuer >= mine.size()) mine.resize(issuer + 1);
      ++mine[issuer];
    });
    add_groups();
    for (const std::vector<std::uint64_t>& mine : threads) {
      for (std::size_t i = 0; i < mine.size(); ++i) groups_[i].universe += mine[i];
    }
    for (const Group& group : groups_) built_.universe += group.universe;
  }
  void begin_universe() {
    context_.progress.begin("universe", input::regular_input_bytes(input_.universe).value_or(0),
                            Progress::Unit::bytes);
  }

  /// Certificates in a system of so many rows, in its order, each once.
  static std::vector<Placed> placed(const Issuer& issuer, const Serials& serials,
                                    std::uint64_t rows) {
    std::vector<Placed> all;
    all.reserve(serials.size());
    serials.for_each([&](std::string_view serial) {
      const ClubcardKey key = clubcard_key(issuer, serial);
      all.push_back({static_cast<std::uint32_t>(key.row(rows)), key.coefficients});
    });
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  void choose_columns() {
    context_.progress.begin("filter", groups_.size());
    base::parallel_for(context_.threads, groups_.size(), [&](std::uint64_t i) {
      Group& group = groups_[i];
      group.distinct = placed(group.issuer, group.members, 1).size();
    });
    std::uint64_t rows = 0;
    for (std::uint32_t i = 0; i < groups_.size(); ++i) {
      Group& group = groups_[i];
      const std::uint64_t repeated = group.members.size() - group.distinct;
      if (repeated != 0 && !input_.ignore_duplicates) fail_repeated(i);
      built_.duplicates += repeated;
      built_.members += group.distinct;
      group.block.approx_columns =
          static_cast<std::uint8_t>(columns_of(group.distinct, group.universe));
      if (group.distinct == 0) continue;
      const std::uint64_t own = std::max<std::uint64_t>(system_rows(group.distinct), 1);
      group.block.approx_rows = static_cast<std::uint32_t>(own);
      rows += own + Coefficients::kBits;
    }
    require_rows(rows);
    require_memory();
  }
  [[noreturn]] void fail_repeated(std::uint32_t issuer) {
    const Group& group = groups_[issuer];
    std::vector<std::string> all;
    group.members.for_each([&](std::string_view serial) { all.emplace_back(serial); });
    std::ranges::sort(all);
    members_.fail_repeated(issuer, *std::ranges::adjacent_find(all), context_);
  }
  static void require_rows(std::uint64_t rows) {
    if (rows > std::numeric_limits<std::uint32_t>::max())
      throw Error(ErrorKind::bad_input, "a clubcard holds 4,200 million members at most");
  }
  /// That of what is kept: serial numbers, and the systems of the largest issuer.
  void require_memory() const {
    std::uint64_t serials = 0;
    std::uint64_t largest = 0;
    for (const Group& group : groups_) {
      const std::uint64_t others = group.universe - std::min(group.universe, group.distinct);
      const std::uint64_t passing =
          group.distinct == 0 ? 0 : group.distinct + (others >> group.block.approx_columns);
      serials += group.members.bytes() + passing * kSerialBytes;
      largest = std::max(largest,
                         passing * sizeof(Placed) + LinearSystem::bytes_of(system_rows(passing)));
    }
    if (serials + largest <= input_.memory_bytes) return;
    throw Error(ErrorKind::io,
                "a clubcard of these certificates needs " +
                    std::to_string((serials + largest + 0xfffff) >> 20) + " MiB of memory",
                {.remedy = "memory"});
  }
  static constexpr std::uint64_t kSerialBytes = 40;  ///< of one in a growing list, at most

  /// The numbers of the issuers with approximate systems, those of most columns first: a column's
  /// rows are then those up to the last that has it.
  std::vector<std::uint32_t> in_order(bool has_columns) const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < groups_.size(); ++i) {
      const ClubcardBlock& block = groups_[i].block;
      if (has_columns ? block.approx_columns != 0 : block.exact_rows != 0) order.push_back(i);
    }
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
      const unsigned more = has_columns ? groups_[a].block.approx_columns : 0;
      const unsigned fewer = has_columns ? groups_[b].block.approx_columns : 0;
      return more != fewer ? more > fewer : groups_[a].issuer < groups_[b].issuer;
    });
    return order;
  }

  /// Calls solve(issuer's number, system) from the last issuer of an order to the first; the
  /// systems are made by all threads.
  template <typename Make, typename Solve>
  void for_each_system(const std::vector<std::uint32_t>& order, Make&& make, Solve&& solve) {
    const auto number = [&](std::uint64_t i) { return order[order.size() - 1 - i]; };
    base::parallel_ordered_within(
        context_.threads, order.size(), input_.memory_bytes / 4,
        [&](std::uint64_t i, auto&& has_room) -> std::optional<LinearSystem> {
          const std::uint64_t rows =
              system_rows(groups_[number(i)].members.size() + groups_[number(i)].passing.size());
          if (!has_room(LinearSystem::bytes_of(rows + Coefficients::kBits))) return {};
          return make(number(i));
        },
        [&](std::uint64_t i, std::optional<LinearSystem> system) {
          if (!system) system = make(number(i));
          solve(number(i), *system);
          context_.progress.add(1);
        });
  }

  void build_approx() {
    const std::vector<std::uint32_t> order = in_order(true);
    std::uint64_t rows = 0;
    for (const std::uint32_t i : order) rows += groups_[i].block.approx_rows + Coefficients::kBits;
    Matrix matrix(rows);
    std::vector<std::uint64_t> begins(groups_.size(), 0);
    for_each_system(
        order,
        [&](std::uint32_t i) {
          const Group& group = groups_[i];
          LinearSystem system(group.block.approx_rows);
          for (const Placed& each : placed(group.issuer, group.members, group.block.approx_rows))
            system.add({each.row, each.coefficients, false});
          return system;
        },
        [&](std::uint32_t i, const LinearSystem& system) {
          begins[i] = matrix.push_front(system, groups_[i].block.approx_columns, input_.seed);
        });
    for (const std::uint32_t i : order)
      groups_[i].block.approx_offset = static_cast<std::uint32_t>(matrix.offset(begins[i]));
    for (std::size_t i = 0; i < matrix.columns(); ++i) approx_.push_back(matrix.words(i));
  }

  bool passes(const Group& group, std::string_view serial) const {
    if (group.block.approx_columns == 0) return true;
    const ClubcardKey key = clubcard_key(group.issuer, serial);
    const std::uint64_t row = group.block.approx_offset + key.row(group.block.approx_rows);
    for (unsigned i = 0; i < group.block.approx_columns; ++i) {
      if (key.coefficients.times(bits_from(approx_[i], row)) != 0) return false;
    }
    return true;
  }

  void find_passing() {
    begin_universe();
    PerThread threads(context_.threads);
    std::vector<std::uint64_t> counts(context_.threads * kApart, 0);
    universe_.for_each(context_, [&](unsigned thread, std::uint32_t issuer, std::string_view serial,
                                     const input::Place&) {
      ++counts[thread * kApart];
      if (issuer >= groups_.size()) fail_changed();
      const Group& group = groups_[issuer];
      if (group.distinct != 0 && passes(group, serial)) of(threads[thread], issuer).add(serial);
    });
    if (std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) != built_.universe)
      fail_changed();
    join(threads, &Group::passing);
  }
  static constexpr std::size_t kApart = 8;  ///< so that threads count in cache lines of their own
  [[noreturn]] static void fail_changed() {
    throw Error(ErrorKind::bad_input, "the universe changed while it was read");
  }

  void build_exact() {
    context_.progress.begin("build", groups_.size());
    base::parallel_for(context_.threads, groups_.size(),
                       [&](std::uint64_t i) { shape_exact(groups_[i]); });
    const std::vector<std::uint32_t> order = in_order(false);
    std::uint64_t rows = 0;
    for (const std::uint32_t i : order) rows += groups_[i].block.exact_rows + Coefficients::kBits;
    require_rows(rows);
    Matrix matrix(rows);
    std::vector<std::uint64_t> begins(groups_.size(), 0);
    for_each_system(
        order, [&](std::uint32_t i) { return exact_system(groups_[i]); },
        [&](std::uint32_t i, const LinearSystem& system) {
          begins[i] = matrix.push_front(system, 1, ~input_.seed);
        });
    for (const std::uint32_t i : order)
      groups_[i].block.exact_offset = static_cast<std::uint32_t>(matrix.offset(begins[i]));
    if (matrix.columns() != 0) exact_ = matrix.words(0);
    for (const Group& group : groups_) built_.missing += group.missing;
  }

  /// The certificates that pass and are no members, in a system of so many rows.
  static std::vector<Placed> others(const Group& group, const std::vector<Placed>& members,
                                    std::uint64_t rows) {
    std::vector<Placed> all = placed(group.issuer, group.passing, rows);
    std::vector<Placed> left;
    std::ranges::set_difference(all, members, std::back_inserter(left));
    return left;
  }
  void shape_exact(Group& group) {
    if (group.distinct == 0) return;
    const std::vector<Placed> members = placed(group.issuer, group.members, 1);
    const std::vector<Placed> passing = placed(group.issuer, group.passing, 1);
    std::vector<Placed> both;
    std::ranges::set_intersection(members, passing, std::back_inserter(both));
    const std::uint64_t refused = passing.size() - both.size();
    group.missing = members.size() - both.size();
    if (refused == 0 && group.block.approx_columns == 0) {  // all that there are
      group.block.approx_rows = 0;
      group.block.inverted = true;
      return;
    }
    group.block.exact_rows = static_cast<std::uint32_t>(
        std::max<std::uint64_t>(system_rows(members.size() + refused), 1));
  }
  /// Members first: what a system cannot hold is then one of the others.
  LinearSystem exact_system(Group& group) const {
    const std::uint64_t rows = group.block.exact_rows;
    LinearSystem system(rows);
    const std::vector<Placed> members = placed(group.issuer, group.members, rows);
    for (const Placed& each : members) system.add({each.row, each.coefficients, false});
    std::vector<Placed> excepted;
    for (const Placed& each : others(group, members, rows)) {
      if (!system.add({each.row, each.coefficients, true})) excepted.push_back(each);
    }
    if (!excepted.empty()) except(group, excepted);
    return system;
  }
  static void except(Group& group, const std::vector<Placed>& excepted) {
    group.passing.for_each([&](std::string_view serial) {
      const Coefficients own = clubcard_key(group.issuer, serial).coefficients;
      if (std::ranges::find(excepted, own, &Placed::coefficients) != excepted.end())
        group.excepted.emplace_back(serial);
    });
    std::ranges::sort(group.excepted);
    const auto repeated = std::ranges::unique(group.excepted);
    group.excepted.erase(repeated.begin(), repeated.end());
    if (group.excepted.size() > std::numeric_limits<std::uint16_t>::max())
      throw Error(ErrorKind::bad_input, "a clubcard holds 65,535 exceptions of an issuer at most");
  }

  void write() {
    std::ranges::sort(groups_, {}, &Group::issuer);
    std::vector<WrittenBlock> blocks;
    for (Group& group : groups_) {
      group.block.issuer = group.issuer;
      blocks.push_back({group.block, std::move(group.excepted)});
    }
    built_.bytes = encode(input_.coverage, blocks, approx_, exact_);
  }

  const ClubcardInput& input_;
  const base::BuildContext& context_;
  IssuerNumbers issuers_;
  Certificates members_;
  Certificates universe_;
  std::vector<Group> groups_;
  std::vector<std::vector<std::uint64_t>> approx_;
  std::vector<std::uint64_t> exact_;
  BuiltClubcard built_;
};

}  // namespace

BuiltClubcard build_clubcard(const ClubcardInput& input, const base::BuildContext& context) {
  return Build(input, context).run();
}

}  // namespace crivo::foreign
