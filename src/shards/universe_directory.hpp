// SPDX-License-Identifier: Apache-2.0
/// The directory of an exact set's keys (formats/parts.md, "Members and their universe"): in it are
/// two, of the members and of the universe, which are dealt out by one hash.
#pragma once

#include <cstdint>
#include <filesystem>

#include "build/build_frame.hpp"
#include "build/universe_input.hpp"
#include "crivo/build/shards.hpp"
#include "shards/key_directory.hpp"
#include "shards/shard_keys.hpp"

namespace crivo::index {

/// The set that the keys of a file belong to.
enum class KeysOf {
  all,      ///< the keys of an index
  members,  ///< of an exact set
  universe  ///< the keys that it is to answer for, repeats among them
};

/// partition_keys() of one of these.
PartitionSummary deal_out(const KeyInput& input, const std::filesystem::path& directory, KeysOf of,
                          const PartitionOptions& partition, const BuildOptions& options);
/// Deals out members with their universe: a task's shares of both.
PartitionSummary deal_out_universe(const KeyInput& input, const std::filesystem::path& directory,
                                   const PartitionOptions& partition, const BuildOptions& options);

/// Whether there are two directories of keys in this one.
bool is_universe_directory(const std::filesystem::path& directory);

/// Section 99.
struct UniverseTotals {
  bool strict = false;  ///< ExactOptions::strict, of a part
  exact::UniverseCounts counts{};
};
base::Bytes encode(const UniverseTotals& counts);
/// Throws Error(corrupt), named after the container.
UniverseTotals decode_universe_totals(const file::Container& container);

/// Such a directory that is complete.
class UniverseDirectory {
 public:
  /// Throws Error(usage) for one whose members are not finished, or that tasks are missing of, or
  /// where members and universe were hashed with different seeds.
  explicit UniverseDirectory(const std::filesystem::path& path);

  const KeyDirectory& members() const noexcept { return members_; }
  const KeyDirectory& universe() const noexcept { return universe_; }
  bool grouped() const noexcept { return universe_.totals.values == KeyValues::given; }
  /// With the groups of all members.
  const exact::UniverseCounts& counts() const noexcept { return counts_; }

 private:
  KeyDirectory members_;
  KeyDirectory universe_;
  exact::UniverseCounts counts_;
};

/// The keys of its universe in a range.
class UniverseShare final : public exact::UniverseKeys {
 public:
  /// `directory` must outlive it.
  UniverseShare(const UniverseDirectory& directory, const HashRange& range)
      : directory_(directory), range_(range) {}

  void for_each(const base::BuildContext& context, const Visit& visit) const override;
  /// Counts by the tables, and by a look at those keys that may be of the sample.
  exact::UniverseCounts count(const exact::MemberSample& sample,
                              const base::BuildContext& context) const override;
  bool visits_all() const noexcept override { return false; }

 private:
  const UniverseDirectory& directory_;
  HashRange range_;
};

}  // namespace crivo::index
