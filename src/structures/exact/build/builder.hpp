// SPDX-License-Identifier: Apache-2.0
/// The keys of an exact set's sections, chosen from its members and one stream of its universe,
/// which is gone through twice.
///
///     members, universe ──▶ keys of each group ──▶ width of each ──▶ a filter for each width
///     universe ──▶ what passes its group's filter ──▶ with the members: a function of one bit
///
/// All keys are gathered of groups without a filter over their members (others are few); how many
/// others they have is known exactly then, so that these can be inverted, or have members alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/progress.hpp"
#include "hashing/hash128.hpp"
#include "stream/hash_source.hpp"
#include "structures/build/assembly.hpp"
#include "structures/exact/build/group_table.hpp"
#include "structures/exact/groups.hpp"

namespace crivo::exact {

/// `groups` ascend; without groups there is one.
base::Bytes encode_groups(const Totals& totals, const std::vector<Group>& groups);

/// Some members, by which it is told how many of them a universe has.
struct MemberSample {
  std::uint64_t most = 0;         ///< the first halves of their hashes are at most this
  std::vector<Hash128> hashes{};  ///< ascending: all up to there
};

/// The counts of a whole universe.
struct UniverseCounts {
  std::uint64_t keys = 0;  ///< repeats counted
  std::uint64_t sum = 0;   ///< of the first halves of their hashes, modulo 2^64
  GroupTable groups{};     ///< Entry::universe of each; empty where there are no groups
  std::uint64_t sampled = 0;
  std::uint64_t found = 0;  ///< of so many members, those that it has
};

/// Keys of a universe, in any order, with repeats or without, members among them or not.
class UniverseKeys {
 public:
  virtual ~UniverseKeys() = default;

  /// From several threads at once; groups[i] is the first half of the hash of hashes[i]'s group,
  /// and there are none in a set without groups.
  using Visit = std::function<void(unsigned thread, std::span<const Hash128> hashes,
                                   std::span<const std::uint64_t> groups)>;
  /// The same keys each time. `thread` is less than context.threads.
  virtual void for_each(const base::BuildContext& context, const Visit& visit) const = 0;

  /// In a pass over all, unless it is known.
  virtual UniverseCounts count(const MemberSample& sample, const base::BuildContext& context) const;
  /// Whether for_each() visits all that count() counts. Otherwise what a build has no use for may
  /// be left out: keys of groups without members, and those that their group's filter refuses.
  virtual bool visits_all() const noexcept { return true; }
};

struct Parameters {
  bool grouped = false;
  /// The rate at which keys outside the universe may be taken for members, at most.
  std::optional<double> outside_rate{};
  /// Gathered keys take so much memory before they are spilled.
  std::uint64_t memory_bytes = UINT64_MAX;
  std::filesystem::path temp_dir{};
};

struct Built {
  Totals totals;
  std::uint64_t groups = 0;
  std::uint64_t missing = 0;       ///< members that the universe lacks
  std::uint64_t temp_bytes = 0;    ///< of gathered keys
  std::uint64_t universe_sum = 0;  ///< of the first halves of its keys' hashes, modulo 2^64
};

/// The keys that a section is built of, and its plan; none: there is no such section.
struct SectionKeys {
  std::shared_ptr<const stream::HashSource> keys;  ///< in memory or on disk until this is let go
  std::unique_ptr<Assembly> assembly;
};

/// Says which keys each section is built of, by what those before it answer. Bytes depend on the
/// sets of members and of keys of the universe, on how many keys that has in each group, repeats
/// counted, and on the parameters. Memory: what the members take, 24 bytes for each key that passes
/// and some more, as far as memory_bytes allows.
class Builder {
 public:
  /// Counts the keys of all groups. `members` have the hash of their group as their value, in a set
  /// with groups. All that is given but the parameters outlives this and what it returns.
  Builder(const stream::HashSource& members, const UniverseKeys& universe,
          const Parameters& parameters, const base::BuildContext& context);
  ~Builder();
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  /// Returns the keys of a filter: the members or others of the groups that have it. Once for each,
  /// by its tag from 1 to 2 kMostWidth in turn.
  SectionKeys filter(unsigned tag);
  /// Told of the bytes of a filter before the next one is asked for; they stay where they are as
  /// long as this does.
  void use_filter(unsigned tag, base::ByteView section);
  /// Returns the keys of the function of one bit: all that pass their filters. Once, when all are
  /// in use.
  SectionKeys bit();
  /// The section of groups. Last.
  base::Bytes groups();

  /// Instead of all these: of the universe, the keys that a build goes on with, for who builds of
  /// them elsewhere. keep(thread, hash, group) is called from all threads at once.
  using Keep = std::function<void(unsigned thread, const Hash128& hash, std::uint64_t group)>;
  void sieve(const Keep& keep);
  const UniverseCounts& counts() const noexcept;

  /// Returns the counts found, once groups() has been called.
  const Built& built() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The estimated counts and size of a build.
struct Planned {
  std::uint64_t universe = 0;  ///< keys, repeats counted
  std::uint64_t passing = 0;
  std::uint64_t bytes = 0;  ///< of all sections
};
Planned plan(const stream::HashSource& members, const UniverseKeys& universe,
             const Parameters& parameters, const base::BuildContext& context);

/// About the bits of a set of so many members, without groups, over a universe with them.
double forecast_bits(std::uint64_t members, std::uint64_t universe) noexcept;

}  // namespace crivo::exact
