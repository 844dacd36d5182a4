// SPDX-License-Identifier: Apache-2.0
/// The parts of exact sets and of their deltas.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/as_error.hpp"
#include "build/built_hash.hpp"
#include "build/choices.hpp"
#include "build/chosen.hpp"
#include "build/notes.hpp"
#include "build/recipe.hpp"
#include "build/universe_input.hpp"
#include "crivo/build/shards.hpp"
#include "file/pending_file.hpp"
#include "file/section_types.hpp"
#include "lookup/chain_file.hpp"
#include "shards/build_part.hpp"
#include "shards/exact_parts.hpp"

namespace crivo {
namespace {

using index::UseListed;

/// Half of the budget: the rest is for what is left of the universe.
BuildOptions halved(const BuildOptions& options, bool replace) {
  BuildOptions half = options;
  half.resources.memory = index::MemoryPlan(options).budget().bytes / 2;
  half.replace = options.replace || replace;
  return half;
}

/// Throws Error(usage) for a shard that is none, or whose part goes elsewhere.
void check_exact_shard(const Share& shard, const BuildOptions& options) {
  if (!options.exchange.put.empty() || !options.exchange.get.empty())
    throw Error(ErrorKind::usage,
                "parts of exact sets are built in a directory that all tasks see");
  index::check_shard(shard);
}

/// The header that the parts have in common, but for the build id.
file::Header header_of(const index::UniverseDirectory& directory, file::Kind kind) {
  const index::Totals& totals = directory.members().totals;
  file::Header header;
  header.kind = kind;
  header.keys = totals.keys;
  header.seed = totals.seed;
  header.key_hash = totals.key_hash;
  return header;
}

/// The work that both do around their own.
class PartBuild {
 public:
  /// `header` is that of the parts, with the build id. The directory outlives it.
  PartBuild(const index::UniverseDirectory& directory, const file::Header& header,
            const Share& shard, const std::filesystem::path& output, const BuildOptions& options)
      : header_(header),
        options_(halved(options, index::is_same_part(output, header, shard))),
        frame_(options_),
        directory_(directory),
        shard_(shard),
        bits_(index::list_bits(shard.count)),
        range_(index::range_of_shard(bits_, shard)),
        file_(frame_.outputs().file(output, {})) {
    index::refuse_notes(options);
  }

  index::BuildFrame& frame() noexcept { return frame_; }
  const index::HashRange& range() const noexcept { return range_; }
  const Share& shard() const noexcept { return shard_; }
  unsigned bits() const noexcept { return bits_; }
  exact::Room room() const { return {frame_.memory().budget().stream_bytes(), frame_.temp_dir()}; }

  /// Has `use` work on the members of a range.
  template <typename Use>
  void with_members(const index::HashRange& range, Use&& use) {
    const auto members =
        index::ShardKeys::load(directory_.members(), range, directory_.grouped(), frame_);
    try {
      use(members->keys());
    } catch (const stream::UnevenHashes&) {
      index::fail_uneven(directory_.members());
    } catch (const stream::RepeatedHashes&) {
      index::fail_repeated(directory_.members(), members->repeated(frame_.context()));
    }
  }

  /// Calls add(hash, value) for the keys of the shard, in order.
  void add_keys(const stream::HashSource& keys, const UseListed& add) {
    struct Some {
      std::vector<stream::HashedValue> keys;
    };
    keys.for_each_partition(
        bits_, run_of_shard(bits_, shard_.index, shard_.count), {}, frame_.context(),
        [](std::uint64_t, const stream::KeySlice& slice) {
          Some some;
          for (std::size_t i = 0; i < slice.size(); ++i)
            some.keys.push_back({slice.hashes[i], slice.values.empty() ? 0 : slice.values[i]});
          return some;
        },
        [&](std::uint64_t, const Some& some) {
          for (const stream::HashedValue& key : some.keys) add(key.hash, key.value);
        });
  }

  index::ListedPart part(file::Kind kind, file::Metadata choices) {
    return {file_, kind, shard_, bits_, std::move(choices)};
  }
  /// Ends the part, and gives it its name.
  BuildSummary publish(index::ListedPart& part, std::string_view structure) {
    frame_.end_building();
    const file::ContainerWriter::Written written = part.finish(header_);
    file::Header header = header_;
    header.kind = file::Kind::part;
    index::UnpublishedSummary summary = frame_.summarize(header, structure, written);
    return std::move(summary).published(file_.publish());
  }

 private:
  file::Header header_;
  BuildOptions options_;
  index::BuildFrame frame_;
  const index::UniverseDirectory& directory_;
  Share shard_;
  unsigned bits_;
  index::HashRange range_;
  file::PendingFile file_;
};

}  // namespace

BuildSummary build_exact_part(const std::filesystem::path& directory, const Share& shard,
                              const std::filesystem::path& output, const ExactOptions& asked,
                              const BuildOptions& options) try {
  check_exact_shard(shard, options);
  const index::UniverseDirectory keys(directory);
  ExactOptions exact = exact::checked(asked);
  if (exact.grouped && !keys.grouped())
    index::refuse_directory(directory, "its keys have no groups; use them when partitioning",
                            "grouped");
  exact.grouped = keys.grouped();
  file::Header header = header_of(keys, file::Kind::exact);
  stream::KeySums sums = keys.members().totals.sums;
  sums.values += keys.counts().sum;
  header.build_id = index::build_id(header, sums, index::metadata_of(exact));
  PartBuild build(keys, header, shard, output, options);
  index::BuildFrame& frame = build.frame();
  const base::BuildContext context = frame.context();
  const index::UniverseShare universe(keys, build.range());
  index::ListedPart part = build.part(file::Kind::exact, index::metadata_of(exact));
  // Each shard builds the filters of all members: they decide which of its keys are left.
  build.with_members({}, [&](const stream::HashSource& members) {
    exact::Builder builder(members, universe,
                           {.grouped = exact.grouped,
                            .outside_rate = exact.fpr,
                            .memory_bytes = build.room().memory_bytes,
                            .temp_dir = frame.temp_dir()},
                           context);
    index::GatheredKeys left(members.size() / shard.count + 1, build.room(), context);
    builder.sieve([&](unsigned thread, const Hash128& hash, std::uint64_t group) {
      left.writer(thread).add({hash, group});
    });
    left.finish();
    frame.end_reading({.keys = members.size(), .collected = members.size(), .seed = header.seed});
    part.add_list([&](const UseListed& add) { build.add_keys(members, add); });
    const auto kept = left.distinct({}, context);
    part.add_list([&](const UseListed& add) { build.add_keys(*kept, add); });
    part.begin_section(file::kGroupCountSection)
        .append(index::encode({.strict = exact.strict, .counts = builder.counts()}));
  });
  return build.publish(part, exact.algorithm);
} catch (...) {
  base::rethrow_as_error();
}

BuildSummary build_delta_part(const std::filesystem::path& set,
                              const std::filesystem::path& directory, const Share& shard,
                              const std::filesystem::path& output, const DeltaOptions& asked,
                              const BuildOptions& options) try {
  check_exact_shard(shard, options);
  const exact::LayeredFile file(exact::open_layered(set, file::Kind::exact, {}), {});
  const exact::LinkedSet& layers = file.linked();
  const index::UniverseDirectory keys(directory);
  const file::Header& base = layers.base().header();
  const index::Totals& totals = keys.members().totals;
  if (totals.seed != base.seed || totals.key_hash != base.key_hash)
    index::refuse_directory(directory,
                            "its keys are hashed in another way than those of " + set.string() +
                                "; partition them with the seed " + std::to_string(base.seed),
                            "seed");
  if (keys.grouped() != layers.exact().set->totals().grouped)
    index::refuse_directory(directory, "it has groups, or " + set.string() + " has, and not both",
                            "grouped");
  (void)exact::checked({.covers = asked.covers});
  file::Header header = header_of(keys, file::Kind::delta);
  base::FieldWriter id;
  id.bytes(layers.state()).bytes(base::as_bytes(asked.covers));
  id.u64(totals.sums.hi).u64(totals.sums.lo).u64(keys.counts().sum);
  header.build_id = file::content_hash(id.view());
  PartBuild build(keys, header, shard, output, options);
  index::BuildFrame& frame = build.frame();
  const index::UniverseShare universe(keys, build.range());
  exact::FoundFlips found;
  build.with_members(build.range(), [&](const stream::HashSource& members) {
    const exact::FlipScope share{keys.counts(), totals.keys, build.bits()};
    found = exact::find_flips(members, universe, layers.set(), &share,
                              frame.memory().budget().stream_bytes(), frame.temp_dir(),
                              frame.context());
  });
  std::vector<Warning> warnings =
      index::warn_of_missing({{directory.string()}, {}}, found.missing, asked.strict);
  file::Metadata metadata;
  if (!asked.covers.empty()) metadata["crivo.covers"] = asked.covers;
  index::ListedPart part = build.part(file::Kind::delta, metadata);
  for (const auto* const list : {&found.flips, &found.others}) {
    part.add_list([&](const UseListed& add) {
      for (const exact::GroupedKey& key : *list) add(key.hash, key.group);
    });
  }
  index::UniverseTotals counts;
  for (std::uint64_t number = 0; number < found.counts.size(); ++number)
    counts.counts.groups[counts.counts.groups.index_of(number)].universe = found.counts[number];
  part.begin_section(file::kGroupCountSection).append(index::encode(counts));
  exact::FlipList list{.members = found.members, .universe = found.universe};
  list.added = found.added;
  part.begin_section(file::kFlipSection).append(exact::encode_delta(layers.next(list)));
  frame.end_reading({.keys = totals.keys, .collected = totals.units, .seed = totals.seed});
  frame.summary().add(found.temp_bytes, std::move(warnings));
  return build.publish(part, "flips");
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
