// SPDX-License-Identifier: Apache-2.0
#include "foreign/build/clubcard_builder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "foreign/build/issuer_keys.hpp"
#include "foreign/build/linear_system.hpp"

namespace crivo::foreign {
namespace {

/// All certificates of an issuer.
struct IssuerCertificates {
  Issuer issuer{};
  Serials members;
  Serials passing;                    ///< of the universe, as its approximate system says
  std::uint64_t distinct = 0;         ///< members
  std::uint64_t universe = 0;         ///< certificates
  ClubcardIssuer shape{};             ///< but for the views
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
  void join(PerThread& threads, Serials IssuerCertificates::*where) {
    for (std::vector<Serials>& mine : threads) {
      for (std::size_t i = 0; i < mine.size(); ++i) (all_[i].*where).append(std::move(mine[i]));
    }
  }
  /// As many as there are issuers by now.
  void add_issuers() {
    while (all_.size() < issuers_.size()) {
      const Issuer issuer = issuers_[static_cast<std::uint32_t>(all_.size())];
      all_.emplace_back().issuer = issuer;
    }
  }

  void read_members() {
    context_.progress.begin("read", input::regular_input_bytes(input_.members).value_or(0),
                            Progress::Unit::bytes);
    PerThread threads(context_.threads);
    members_.for_each(context_,
                      [&](unsigned thread, std::uint32_t issuer, std::string_view serial,
                          const input::Place&) { of(threads[thread], issuer).add(serial); });
    add_issuers();
    join(threads, &IssuerCertificates::members);
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
    add_issuers();
    for (const std::vector<std::uint64_t>& mine : threads) {
      for (std::size_t i = 0; i < mine.size(); ++i) all_[i].universe += mine[i];
    }
    for (const IssuerCertificates& own : all_) built_.universe += own.universe;
  }
  void begin_universe() {
    context_.progress.begin("universe", input::regular_input_bytes(input_.universe).value_or(0),
                            Progress::Unit::bytes);
  }

  void choose_columns() {
    context_.progress.begin("filter", all_.size());
    base::parallel_for(context_.threads, all_.size(), [&](std::uint64_t i) {
      IssuerCertificates& own = all_[i];
      own.distinct = placed(own.issuer, own.members, 1).size();
    });
    std::uint64_t rows = 0;
    for (std::uint32_t i = 0; i < all_.size(); ++i) {
      IssuerCertificates& own = all_[i];
      const std::uint64_t repeated = own.members.size() - own.distinct;
      if (repeated != 0 && !input_.ignore_duplicates) fail_repeated(i);
      built_.duplicates += repeated;
      built_.members += own.distinct;
      own.shape.approx_columns = static_cast<std::uint8_t>(columns_of(own.distinct, own.universe));
      if (own.distinct == 0) continue;
      const std::uint64_t needed = std::max<std::uint64_t>(system_rows(own.distinct), 1);
      own.shape.approx_rows = static_cast<std::uint32_t>(needed);
      rows += needed + Coefficients::kBits;
    }
    require_rows(rows);
    require_memory();
  }
  [[noreturn]] void fail_repeated(std::uint32_t issuer) {
    const IssuerCertificates& own = all_[issuer];
    std::vector<std::string> all;
    own.members.for_each([&](std::string_view serial) { all.emplace_back(serial); });
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
    for (const IssuerCertificates& own : all_) {
      const std::uint64_t others = own.universe - std::min(own.universe, own.distinct);
      const std::uint64_t passing =
          own.distinct == 0 ? 0 : own.distinct + (others >> own.shape.approx_columns);
      serials += own.members.bytes() + passing * kSerialBytes;
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
    for (std::uint32_t i = 0; i < all_.size(); ++i) {
      const ClubcardIssuer& shape = all_[i].shape;
      if (has_columns ? shape.approx_columns != 0 : shape.exact_rows != 0) order.push_back(i);
    }
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
      const unsigned more = has_columns ? all_[a].shape.approx_columns : 0;
      const unsigned fewer = has_columns ? all_[b].shape.approx_columns : 0;
      return more != fewer ? more > fewer : all_[a].issuer < all_[b].issuer;
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
              system_rows(all_[number(i)].members.size() + all_[number(i)].passing.size());
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
    for (const std::uint32_t i : order) rows += all_[i].shape.approx_rows + Coefficients::kBits;
    Matrix matrix(rows);
    std::vector<std::uint64_t> begins(all_.size(), 0);
    for_each_system(
        order,
        [&](std::uint32_t i) {
          const IssuerCertificates& own = all_[i];
          LinearSystem system(own.shape.approx_rows);
          for (const Placed& each : placed(own.issuer, own.members, own.shape.approx_rows))
            system.add({each.row, each.coefficients, false});
          return system;
        },
        [&](std::uint32_t i, const LinearSystem& system) {
          begins[i] = matrix.push_front(system, all_[i].shape.approx_columns, input_.seed);
        });
    for (const std::uint32_t i : order)
      all_[i].shape.approx_offset = static_cast<std::uint32_t>(matrix.offset(begins[i]));
    for (std::size_t i = 0; i < matrix.columns(); ++i) approx_.push_back(matrix.words(i));
  }

  /// Two certificates of a thread that are hashed together, as that takes half the time.
  struct alignas(64) Pair {
    struct Asked {
      std::uint32_t issuer = 0;
      base::Bytes text;  ///< the issuer and the serial number
    };
    std::array<Asked, 2> asked;
    std::size_t size = 0;
    std::uint64_t counted = 0;
  };

  bool passes(const IssuerCertificates& own, const ClubcardKey& key) const {
    const std::uint64_t row = own.shape.approx_offset + key.row(own.shape.approx_rows);
    for (unsigned i = 0; i < own.shape.approx_columns; ++i) {
      if (key.coefficients.times(bits_from(approx_[i], row)) != 0) return false;
    }
    return true;
  }
  void ask(Pair& pair, std::vector<Serials>& passing) const {
    const std::size_t size = std::exchange(pair.size, 0);
    const auto hashes = hashing::Sha256::of_both(pair.asked[0].text, pair.asked[1].text);
    for (std::size_t i = 0; i < size; ++i) {
      const Pair::Asked& asked = pair.asked[i];
      if (passes(all_[asked.issuer], ClubcardKey(hashes[i])))
        of(passing, asked.issuer).add(base::as_text(asked.text).substr(kIssuerBytes));
    }
  }

  void find_passing() {
    begin_universe();
    PerThread threads(context_.threads);
    std::vector<Pair> pairs(context_.threads);
    universe_.for_each(context_, [&](unsigned thread, std::uint32_t issuer, std::string_view serial,
                                     const input::Place&) {
      Pair& pair = pairs[thread];
      ++pair.counted;
      if (issuer >= all_.size()) fail_changed();
      const IssuerCertificates& own = all_[issuer];
      if (own.distinct == 0) return;
      if (own.shape.approx_columns == 0) return of(threads[thread], issuer).add(serial);
      Pair::Asked& asked = pair.asked[pair.size];
      asked.issuer = issuer;
      asked.text.assign(own.issuer.begin(), own.issuer.end());
      asked.text.insert(asked.text.end(), base::as_bytes(serial).begin(),
                        base::as_bytes(serial).end());
      if (++pair.size == pair.asked.size()) ask(pair, threads[thread]);
    });
    std::uint64_t counted = 0;
    for (std::size_t thread = 0; thread < pairs.size(); ++thread) {
      if (pairs[thread].size != 0) ask(pairs[thread], threads[thread]);
      counted += pairs[thread].counted;
    }
    if (counted != built_.universe) fail_changed();
    join(threads, &IssuerCertificates::passing);
  }
  [[noreturn]] static void fail_changed() {
    throw Error(ErrorKind::bad_input, "the universe changed while it was read");
  }

  void build_exact() {
    context_.progress.begin("build", all_.size());
    base::parallel_for(context_.threads, all_.size(),
                       [&](std::uint64_t i) { shape_exact(all_[i]); });
    const std::vector<std::uint32_t> order = in_order(false);
    std::uint64_t rows = 0;
    for (const std::uint32_t i : order) rows += all_[i].shape.exact_rows + Coefficients::kBits;
    require_rows(rows);
    Matrix matrix(rows);
    std::vector<std::uint64_t> begins(all_.size(), 0);
    for_each_system(
        order, [&](std::uint32_t i) { return exact_system(all_[i]); },
        [&](std::uint32_t i, const LinearSystem& system) {
          begins[i] = matrix.push_front(system, 1, ~input_.seed);
        });
    for (const std::uint32_t i : order)
      all_[i].shape.exact_offset = static_cast<std::uint32_t>(matrix.offset(begins[i]));
    if (matrix.columns() != 0) exact_ = matrix.words(0);
    for (const IssuerCertificates& own : all_) built_.missing += own.missing;
  }

  /// The certificates that pass and are no members, in a system of so many rows.
  static std::vector<Placed> others(const IssuerCertificates& own,
                                    const std::vector<Placed>& members, std::uint64_t rows) {
    std::vector<Placed> all = placed(own.issuer, own.passing, rows);
    std::vector<Placed> left;
    std::ranges::set_difference(all, members, std::back_inserter(left));
    return left;
  }
  void shape_exact(IssuerCertificates& own) {
    if (own.distinct == 0) return;
    const std::vector<Placed> members = placed(own.issuer, own.members, 1);
    const std::vector<Placed> passing = placed(own.issuer, own.passing, 1);
    std::vector<Placed> both;
    std::ranges::set_intersection(members, passing, std::back_inserter(both));
    const std::uint64_t refused = passing.size() - both.size();
    own.missing = members.size() - both.size();
    if (refused == 0 && own.shape.approx_columns == 0) {  // all that there are
      own.shape.approx_rows = 0;
      own.shape.inverted = true;
      return;
    }
    own.shape.exact_rows = static_cast<std::uint32_t>(
        std::max<std::uint64_t>(system_rows(members.size() + refused), 1));
  }
  /// Members first: what a system cannot hold is then one of the others.
  LinearSystem exact_system(IssuerCertificates& own) const {
    const std::uint64_t rows = own.shape.exact_rows;
    LinearSystem system(rows);
    const std::vector<Placed> members = placed(own.issuer, own.members, rows);
    for (const Placed& each : members) system.add({each.row, each.coefficients, false});
    std::vector<Placed> excepted;
    for (const Placed& each : others(own, members, rows)) {
      if (!system.add({each.row, each.coefficients, true})) excepted.push_back(each);
    }
    if (!excepted.empty()) except(own, excepted);
    return system;
  }
  static void except(IssuerCertificates& own, const std::vector<Placed>& excepted) {
    own.passing.for_each([&](std::string_view serial) {
      const Coefficients each = clubcard_key(own.issuer, serial).coefficients;
      if (std::ranges::find(excepted, each, &Placed::coefficients) != excepted.end())
        own.excepted.emplace_back(serial);
    });
    std::ranges::sort(own.excepted);
    const auto repeated = std::ranges::unique(own.excepted);
    own.excepted.erase(repeated.begin(), repeated.end());
    if (own.excepted.size() > std::numeric_limits<std::uint16_t>::max())
      throw Error(ErrorKind::bad_input, "a clubcard holds 65,535 exceptions of an issuer at most");
  }

  void write() {
    std::ranges::sort(all_, {}, &IssuerCertificates::issuer);
    std::vector<WrittenIssuer> written;
    for (IssuerCertificates& own : all_) {
      own.shape.issuer = own.issuer;
      written.push_back({own.shape, std::move(own.excepted)});
    }
    built_.bytes = encode(input_.coverage, written, approx_, exact_);
  }

  const ClubcardInput& input_;
  const base::BuildContext& context_;
  IssuerNumbers issuers_;
  Certificates members_;
  Certificates universe_;
  std::vector<IssuerCertificates> all_;
  std::vector<std::vector<std::uint64_t>> approx_;
  std::vector<std::uint64_t> exact_;
  BuiltClubcard built_;
};

}  // namespace

BuiltClubcard build_clubcard(const ClubcardInput& input, const base::BuildContext& context) {
  return Build(input, context).run();
}

}  // namespace crivo::foreign
