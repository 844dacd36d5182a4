// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <optional>

#include "base/as_error.hpp"
#include "base/parallel.hpp"
#include "build/build_frame.hpp"
#include "build/notes.hpp"
#include "crivo/build/shards.hpp"
#include "file/section_types.hpp"
#include "shards/key_directory.hpp"
#include "shards/key_exchange.hpp"
#include "shards/shard_keys.hpp"
#include "shards/universe_directory.hpp"
#include "stream/key_slice.hpp"
#include "stream/key_spread.hpp"
#include "stream/streamed_keys.hpp"

namespace crivo {
namespace {

/// Counts the values of files whose keys are all distinct, as far as is known.
csf::Histogram count_values(const index::KeyDirectory& directory,
                            const base::BuildContext& context) {
  constexpr std::size_t kBlock = 4096;
  csf::ValueCounter counter(directory.totals.keys);
  context.progress.begin("count values", directory.totals.keys);
  for (const auto& file : directory.files) {
    base::parallel_for(context.threads, file->table().counts.size(), [&](std::uint64_t piece) {
      stream::OwnedKeys block;
      const auto take = [&] {
        counter.add(block.slice(), {});
        block.hashes.clear();
        block.values.clear();
      };
      file->for_each_key(piece, [&](Hash128 hash, std::uint64_t value) {
        block.add(hash, value);
        if (block.size() == kBlock) take();
      });
      if (block.size() != 0) take();
      context.progress.add(file->table().counts[piece]);
    });
  }
  return counter.finish();
}

/// Throws stream::UnevenHashes where the tables say so of files whose keys are all distinct. (Finer
/// cells than all files have pieces for are looked at by the shards.)
void check_spread(const index::KeyDirectory& directory) {
  const auto spread =
      stream::KeySpread::of(directory.totals.units, hashing::keys_alike(directory.totals.key_hash));
  unsigned bits = spread.cell_bits;
  for (const auto& file : directory.files) bits = std::min(bits, file->table().piece_bits);
  std::vector<std::uint64_t> keys(std::size_t{1} << bits);
  for (const auto& file : directory.files) {
    const index::KeyTable& table = file->table();
    for (std::uint64_t piece = 0; piece < table.counts.size(); ++piece)
      keys[piece >> (table.piece_bits - bits)] += table.counts[piece];
  }
  if (std::ranges::max(keys) > spread.most_in(bits)) throw stream::UnevenHashes();
}

/// Counts the distinct keys, and their values if they are given. Throws Error(bad_input) for equal
/// keys with rows, unless they may be equal.
void count(index::KeyDirectory& directory, index::BuildFrame& frame) {
  index::Totals& totals = directory.totals;
  const auto keys =
      index::ShardKeys::load(directory, {}, totals.values != index::KeyValues::none, frame);
  try {
    keys->keys().for_each({}, frame.context(), [](const stream::KeySlice&) {});
  } catch (const stream::RepeatedHashes&) {
    index::fail_repeated(directory, keys->repeated(frame.context()));
  }
  totals.keys = keys->keys().size();
  totals.distinct = keys->distinct();
  totals.value_bits = totals.values == index::KeyValues::rows ? directory.added_up().value_bits
                                                              : keys->keys().value_bits();
  totals.sums = keys->sums();
  if (totals.values == index::KeyValues::given)
    totals.counts = csf::histogram_of(keys->keys(), {}, frame.context());
}

/// Writes the totals into the directory of the partition, and puts them where others get them.
void write_totals(const std::filesystem::path& path, const index::Totals& totals,
                  index::BuildFrame& frame, const index::PartExchange& exchange) {
  const std::filesystem::path own = path / index::kTotalsName;
  file::PendingFile file(frame.outputs().file(own, {}));
  file::ContainerWriter writer(file, file::HashTree::none);
  writer.begin_section(file::kTotalsSection).append(index::encode(totals));
  if (totals.counts)
    writer.begin_section(file::kValueCountSection).append(csf::encode(*totals.counts));
  file::Header header;
  header.kind = file::Kind::totals;
  header.keys = totals.keys;
  header.seed = totals.seed;
  header.key_hash = totals.key_hash;
  header.build_id = totals.plan_id;
  (void)writer.finish(header, {});
  (void)file.publish();
  exchange.put_file(own);
}

/// Finishes members with their universe, whose counts stand in its tables.
PartitionTotals finish_universe(const std::filesystem::path& path, const BuildOptions& options) {
  PartitionTotals counted = finish_partition(path / "members", options);
  (void)index::UniverseDirectory(path);
  return counted;
}

}  // namespace

PartitionTotals finish_partition(const std::filesystem::path& own_path,
                                 const BuildOptions& options) try {
  if (index::is_universe_directory(own_path)) return finish_universe(own_path, options);
  const auto begin = std::chrono::steady_clock::now();
  BuildOptions replacing = options;
  replacing.replace = true;
  index::BuildFrame frame(replacing);
  index::refuse_notes(options);
  const index::PartExchange exchange(options);
  std::optional<index::FetchedKeys> fetched;
  if (exchange.gets()) fetched.emplace(exchange, own_path, ".finish");
  const std::filesystem::path path = fetched ? fetched->path() : own_path;
  index::KeyDirectory directory = index::KeyDirectory::open(path);
  index::Totals& totals = directory.totals;
  const bool reads_all = totals.drops_repeats || totals.values == index::KeyValues::rows;
  if (fetched && (reads_all || totals.values == index::KeyValues::given)) {
    fetched->get_range(directory, {});
    directory = index::KeyDirectory::open(path);
  }
  try {
    if (reads_all) {
      count(directory, frame);
    } else {
      check_spread(directory);
    }
  } catch (const stream::UnevenHashes&) {
    index::fail_uneven(directory);
  }
  if (!reads_all) {
    totals = directory.added_up();
    if (totals.keys != totals.units)
      throw Error(ErrorKind::usage,
                  path.string() +
                      ": its files have fewer keys than they were given, though they are to keep "
                      "repeats",
                  {.file = path.string()});
    if (totals.values == index::KeyValues::given)
      totals.counts = count_values(directory, frame.context());
  }
  // All that may fail comes before the file has its name.
  PartitionTotals counted{.keys = totals.keys,
                          .duplicates = totals.units - totals.keys,
                          .tasks = totals.files.size(),
                          .seconds = 0,
                          .warnings = {}};
  frame.summary().warn_of_no_keys(path.string(), counted.keys, counted.warnings);
  write_totals(path, totals, frame, exchange);
  counted.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return counted;
} catch (...) {
  base::rethrow_as_error();
}

}  // namespace crivo
