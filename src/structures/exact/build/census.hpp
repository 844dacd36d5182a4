// SPDX-License-Identifier: Apache-2.0
/// How many members and keys of the universe each group has, and the class that follows.
#pragma once

#include <cstdint>
#include <vector>

#include "hashing/hash128.hpp"
#include "structures/exact/build/builder.hpp"
#include "structures/exact/build/group_table.hpp"

namespace crivo::exact {

/// Filters by their tags, 0 for none.
inline constexpr unsigned kFilters = 2 * kMostWidth + 1;

/// Counts what a build is of, in a pass over either input.
class Census {
 public:
  Census(const stream::HashSource& members, const UniverseKeys& universe,
         const Parameters& parameters, const base::BuildContext& context)
      : members_(members), universe_keys_(universe), parameters_(parameters), context_(context) {}

  void count();
  /// Chooses the class of each group but of those whose keys are all to be gathered first, as the
  /// best class may be one without a filter over the members.
  void choose_classes();
  /// Returns the estimated counts and size of a build.
  Planned plan() const;

  GroupTable& groups() noexcept { return groups_; }
  const UniverseCounts& universe() const noexcept { return universe_; }
  /// A sum over the groups of a class.
  std::uint64_t count_of(Class kind, std::uint64_t GroupTable::Entry::*counted) const noexcept;
  /// About the keys that pass with repeats, and those that are gathered.
  std::uint64_t expected_passing() const noexcept;
  std::uint64_t expected_gathered() const noexcept;

 private:
  void count_members();
  void count_universe();
  /// The others of each group: exactly, where the universe has all members or none.
  void estimate_others();
  unsigned least_width() const noexcept;

  const stream::HashSource& members_;
  const UniverseKeys& universe_keys_;
  const Parameters& parameters_;
  const base::BuildContext& context_;
  GroupTable groups_;
  UniverseCounts universe_;
  MemberSample sample_;
};

}  // namespace crivo::exact
