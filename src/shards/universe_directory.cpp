// SPDX-License-Identifier: Apache-2.0
#include "shards/universe_directory.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "crivo/error.hpp"
#include "file/build/new_file.hpp"
#include "file/section_types.hpp"
#include "shards/build_part.hpp"

namespace crivo::index {
namespace {

constexpr const char* kMembers = "members";
constexpr const char* kUniverse = "universe";
constexpr std::size_t kVisited = 4096;  // keys at a time

/// Some keys, until they are visited.
struct VisitedKeys {
  std::vector<Hash128> hashes;
  std::vector<std::uint64_t> groups;

  void visit(unsigned thread, bool grouped, const exact::UniverseKeys::Visit& use) {
    if (hashes.empty()) return;
    if (!grouped) groups.clear();
    use(thread, hashes, groups);
    hashes.clear();
    groups.clear();
  }
};

/// Calls visit(thread, hash, group) for the keys of a range, on all threads.
template <typename Visit>
void for_each_key_in(const KeyDirectory& directory, const HashRange& range,
                     const base::BuildContext& context, Visit&& visit) {
  struct Piece {
    const KeyFile* file;
    std::uint64_t number;
  };
  std::vector<Piece> pieces;
  for (const auto& file : directory.files) {
    const stream::PartitionRun run = pieces_of(file->table(), range);
    for (std::uint64_t piece = run.begin; piece != run.end; ++piece)
      pieces.push_back({file.get(), piece});
  }
  base::parallel_with(context.threads, pieces.size(), [&](unsigned thread) {
    return [&, thread](std::size_t i) {
      pieces[i].file->for_each_key(pieces[i].number, [&](Hash128 hash, std::uint64_t group) {
        if (range.least <= hash.hi && hash.hi <= range.most) visit(thread, hash, group);
      });
    };
  });
}

/// The keys of each group in the files of a directory.
void add_groups(const KeyDirectory& directory, exact::GroupTable& groups) {
  for (const auto& file : directory.files)
    groups.add(decode_universe_totals(file->container()).counts.groups);
}

}  // namespace

PartitionSummary deal_out_universe(const KeyInput& input, const std::filesystem::path& directory,
                                   const PartitionOptions& partition, const BuildOptions& options) {
  if (partition.texts)
    throw Error(ErrorKind::usage,
                "members and universe are split by hash; their texts cannot be kept");
  if (!options.exchange.put.empty() || !options.exchange.get.empty())
    throw Error(ErrorKind::usage, "members and universe need a directory that all tasks share");
  (void)file::make_directory(directory);
  const PartitionSummary universe =
      deal_out(*input.universe, directory / kUniverse, KeysOf::universe, partition, options);
  KeyInput members = input;
  members.universe.reset();
  PartitionSummary summary =
      deal_out(members, directory / kMembers, KeysOf::members, partition, options);
  summary.bytes += universe.bytes;
  summary.was_done = summary.was_done && universe.was_done;
  summary.seconds += universe.seconds;
  summary.warnings.insert(summary.warnings.end(), universe.warnings.begin(),
                          universe.warnings.end());
  return summary;
}

bool is_universe_directory(const std::filesystem::path& directory) {
  return std::filesystem::is_directory(directory / kMembers) &&
         std::filesystem::is_directory(directory / kUniverse);
}

base::Bytes encode(const UniverseTotals& counts) {
  std::vector<exact::GroupTable::Entry> groups = counts.counts.groups.entries();
  std::ranges::sort(groups, {}, &exact::GroupTable::Entry::hash);
  base::FieldWriter out;
  out.u64(counts.strict ? 1 : 0).u64(counts.counts.keys).u64(counts.counts.sum);
  out.u64(counts.counts.sampled).u64(counts.counts.found);
  for (const exact::GroupTable::Entry& group : groups) out.u64(group.hash).u64(group.universe);
  return out.take();
}

UniverseTotals decode_universe_totals(const file::Container& container) {
  base::FieldReader fields(container.require(file::kGroupCountSection, "group counts"),
                           container.name());
  UniverseTotals read;
  read.strict = fields.u64() != 0;
  read.counts.keys = fields.u64();
  read.counts.sum = fields.u64();
  read.counts.sampled = fields.u64();
  read.counts.found = fields.u64();
  while (fields.remaining() != 0) {
    const std::uint64_t hash = fields.u64();
    read.counts.groups[read.counts.groups.index_of(hash)].universe = fields.u64();
  }
  return read;
}

UniverseDirectory::UniverseDirectory(const std::filesystem::path& path) {
  if (!is_universe_directory(path))
    refuse_directory(path, "does not hold members and their universe", "universe");
  members_ = KeyDirectory::open_finished(path / kMembers);
  universe_ = KeyDirectory::open(path / kUniverse);
  const Totals& members = members_.totals;
  if (members.seed != universe_.totals.seed || members.key_hash != universe_.totals.key_hash ||
      members.values != universe_.totals.values)
    refuse_directory(path,
                     "its members are hashed in another way than its universe; partition "
                     "both again, with another seed",
                     "keyed_hash");
  for (const auto& file : universe_.files) {
    counts_.keys += file->header().keys;
    counts_.sum += file->table().sums.hi;
  }
  if (!grouped()) return;
  add_groups(universe_, counts_.groups);
  exact::GroupTable of_members;
  add_groups(members_, of_members);
  for (const exact::GroupTable::Entry& group : of_members.entries())
    (void)counts_.groups.index_of(group.hash);
}

void UniverseShare::for_each(const base::BuildContext& context, const Visit& visit) const {
  const bool grouped = directory_.grouped();
  context.progress.begin("universe", range_.keys_of(directory_.counts().keys));
  std::vector<VisitedKeys> all(context.threads);
  for_each_key_in(directory_.universe(), range_, context,
                  [&](unsigned thread, const Hash128& hash, std::uint64_t group) {
                    VisitedKeys& some = all[thread];
                    some.hashes.push_back(hash);
                    some.groups.push_back(group);
                    if (some.hashes.size() < kVisited) return;
                    context.progress.add(kVisited);
                    some.visit(thread, grouped, visit);
                  });
  for (unsigned thread = 0; thread < context.threads; ++thread)
    all[thread].visit(thread, grouped, visit);
}

exact::UniverseCounts UniverseShare::count(const exact::MemberSample& sample,
                                           const base::BuildContext& context) const {
  exact::UniverseCounts counts = directory_.counts();
  counts.sampled = sample.hashes.size();
  if (sample.hashes.empty()) return counts;
  std::vector<std::vector<std::uint8_t>> found(context.threads);
  for (auto& flags : found) flags.resize(sample.hashes.size());
  for_each_key_in(directory_.universe(), {0, sample.most}, context,
                  [&](unsigned thread, const Hash128& hash, std::uint64_t) {
                    const auto at = std::ranges::lower_bound(sample.hashes, hash);
                    if (at != sample.hashes.end() && *at == hash)
                      found[thread][static_cast<std::size_t>(at - sample.hashes.begin())] = 1;
                  });
  for (std::size_t i = 0; i < sample.hashes.size(); ++i) {
    counts.found +=
        std::ranges::any_of(found, [i](const auto& flags) { return flags[i] != 0; }) ? 1 : 0;
  }
  return counts;
}

}  // namespace crivo::index
