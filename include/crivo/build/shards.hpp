// SPDX-License-Identifier: Apache-2.0
/// Builds whose parts are made by several tasks, on any machines that see one directory: keys are
/// dealt out by their hashes, each shard builds its share, and the parts are merged into the very
/// file that one machine would have written.
///
///     partition_keys    each of M tasks: its share of the input -> hashes in a directory
///     finish_partition  once: how many keys there are, and what else every shard has to know
///     build_..._part    each of N shards: its share of the keys -> a part
///     merge_parts       once: the parts -> the file
///     write_manifest    instead: a small file by which the parts are looked up as they are
///
/// Tasks that share no directory have BuildOptions::exchange: each puts what it makes, and
/// reads it back, byte for byte; and gets what it needs of others, which is checked by length and
/// checksums. Directories are then the tasks' own, and have what they read for as long as they run:
/// a shard gets its own keys, finish_partition() the files' tables alone (with ignore_duplicates,
/// or with values, all keys), merge_parts() and write_manifest() the parts that do not stand at
/// their paths. These two put the file that they write; a store's directory is not put.
///
/// formats/parts.md specifies the files between. Each of them appears whole or not at all, and a
/// task that is done again replaces its file by one of the same bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/build/edit.hpp"
#include "crivo/build/options.hpp"
#include "crivo/detail/export.hpp"
#include "crivo/error.hpp"

namespace crivo {

/// One of some: number `index`, from 0, of `count`.
struct Share {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
};

struct PartitionOptions {
  /// How many shards there will be, about: keys are laid out so that as many, or fewer, each read
  /// little more than their own.
  std::uint64_t shards = 1;
  /// The input is key-and-value pairs, as those of MapOptions::values. Otherwise keys have their
  /// numbers in the input, unless there are to be none:
  bool values = false;
  /// they are what a map of numbers is built of, and what names two equal keys of several tasks.
  /// Without them a third less is written and read.
  bool numbers = true;
  ValueForm form{};  ///< of these
  /// The input is key-and-record pairs, as those of build_store(): the records are dealt out with
  /// their keys. Stores can be built of them, and MPHFs and filters of their keys.
  bool records = false;
  /// The keys themselves are dealt out, with their values if there are any: dictionaries can be
  /// built of them, and what else is built of keys, or of keys with values.
  bool texts = false;
  /// The input is keys with the rows that they are in, as that of build_rows() with these options,
  /// of which `many`, `null_text`, `fixed` and `row_groups` count. Indexes of rows are built of
  /// such.
  std::optional<RowsOptions> rows{};
  /// The input is that of build_filter_set(). Filter sets in rows (FilterSetLayout) are built of
  /// such. Equal keys of a group are one.
  bool filter_set = false;
  /// Whether keys of a universe have groups, as ExactOptions say.
  bool grouped = false;
  std::string group_delimiter{};
  /// As FilterOptions::prefixes, of the filters that are built of the keys: they are kept once, and
  /// have no values, records or numbers.
  std::string prefixes{};
  /// Where BuildOptions::ignore_duplicates is set: which records of equal keys stay.
  RepeatedRecords repeated = RepeatedRecords::first;
  /// The key hash: "xxh3", "xxh64" for split-block-bloom filters, or "range" for range filters.
  std::string hash = "xxh3";
  /// Whose share of the bytes of all files is dealt out. Other tasks do the others. Plain files are
  /// cut at any key; where there are fewer files than tasks, compressed ones at gzip members (also
  /// bgzip's) and zstd frames. Others are in the share whole that they begin in, and are refused
  /// (Error(usage)) where there are fewer files than tasks. Keys that a program makes
  /// (KeySource) are this share itself: each task gives its own.
  Share part{};
};

/// Says what a task did.
struct PartitionSummary {
  std::uint64_t keys = 0;        ///< that it dealt out
  std::uint64_t duplicates = 0;  ///< left out by ignore_duplicates
  std::uint64_t bytes = 0;       ///< of its file
  bool was_done = false;         ///< its file was there already, of the same input and options
  double seconds = 0;
  std::vector<Warning> warnings;
};

/// Deals out the keys of a task's share of `input` into a file in `directory`, which is made if it
/// is not there. A file of the same task, input (files of the same names, sizes and times) and
/// options is left as it is; keys in memory are dealt out anew each time. With
/// BuildOptions::ignore_duplicates the first of equal keys counts, in the order of the input; keys
/// of different tasks with one 128-bit hash are taken for equal. Otherwise the build of a shard
/// refuses them. Throws Error: usage (a directory of another partition, unless
/// BuildOptions::replace; "-" where there are several tasks; keyed hashes without a seed of their
/// own), and what builds throw.
CRIVO_API PartitionSummary partition_keys(const KeyInput& input,
                                          const std::filesystem::path& directory,
                                          const PartitionOptions& partition = {},
                                          const BuildOptions& options = {});

/// Holds what all shards have to know.
struct PartitionTotals {
  std::uint64_t keys = 0;        ///< distinct ones
  std::uint64_t duplicates = 0;  ///< left out
  std::uint64_t tasks = 0;
  double seconds = 0;
  std::vector<Warning> warnings;  ///< there are no keys
};

/// Counts what all tasks dealt out, once they are done. O(tasks); with ignore_duplicates,
/// values or rows a pass over all keys. Throws Error(usage) that names a file that is missing, or
/// of another partition.
CRIVO_API PartitionTotals finish_partition(const std::filesystem::path& directory,
                                           const BuildOptions& options = {});

/// Builds a shard's part of the file that build_mphf() would write of the same keys and options.
/// The seed, keyed hash and treatment of duplicates are those of the directory. Memory: as that of
/// a build of the shard's keys, at least 4 MiB and a byte for 32 of these. Throws Error: usage (the
/// directory is not finished, or was changed since; it has not the key hash, or the values; the
/// structure takes the whole set at once), bad_input (keys are repeated), corrupt, io (also where
/// the budget is smaller than that, at once).
CRIVO_API BuildSummary build_mphf_part(const std::filesystem::path& directory, const Share& shard,
                                       const std::filesystem::path& output,
                                       const MphfOptions& mphf = {},
                                       const BuildOptions& options = {});
CRIVO_API BuildSummary build_filter_part(const std::filesystem::path& directory, const Share& shard,
                                         const std::filesystem::path& output,
                                         const FilterOptions& filter = {},
                                         const BuildOptions& options = {});
CRIVO_API BuildSummary build_map_part(const std::filesystem::path& directory, const Share& shard,
                                      const std::filesystem::path& output,
                                      const MapOptions& map = {}, const BuildOptions& options = {});
/// Builds from a directory with records, whose equal keys' records it was to keep:
/// StoreOptions::repeated counts for nothing. Each shard looks at one sample of the records for the
/// codec. Memory: a quarter of the budget for records, or some times the largest one, beside that
/// of the keys.
CRIVO_API BuildSummary build_store_part(const std::filesystem::path& directory, const Share& shard,
                                        const std::filesystem::path& output,
                                        const StoreOptions& store = {},
                                        const BuildOptions& options = {});

/// Builds from a directory of keys with their rows: RowsOptions::many, null_text and fixed are
/// those of the directory, and refused (Error(usage)) where others are given, as is row_groups.
/// With RowsOptions::check_files each shard looks at the files, of which all must find the same.
/// Memory: with `many` also what the rows of the key that is in most take.
CRIVO_API BuildSummary build_rows_part(const std::filesystem::path& directory, const Share& shard,
                                       const std::filesystem::path& output,
                                       const RowsOptions& rows = {},
                                       const BuildOptions& options = {});

/// Builds from a directory of keys of a filter set: the shard's groups. Memory: as that of a build
/// of them, and a part of it for their names.
CRIVO_API BuildSummary build_filter_set_part(const std::filesystem::path& directory,
                                             const Share& shard,
                                             const std::filesystem::path& output,
                                             const FilterSetOptions& set = {},
                                             const BuildOptions& options = {});

/// Builds from a directory with texts, with values as DictionaryOptions::values say: the shard's
/// keys in order, of which merge_parts() builds the dictionary on all threads.
/// DictionaryOptions::sorted counts for nothing. Memory: as that of a build of the shard's keys;
/// the merge has one key of each part, and what a build has of sorted keys.
CRIVO_API BuildSummary build_dictionary_part(const std::filesystem::path& directory,
                                             const Share& shard,
                                             const std::filesystem::path& output,
                                             const DictionaryOptions& dictionary = {},
                                             const BuildOptions& options = {});

/// Builds from a directory of members with their universe (PartitionOptions): what a shard leaves
/// of its share of the universe, of which merge_parts() builds the set. Each shard builds the
/// filters of all members anew, so that many shards gain nothing where members are many. Memory: 24
/// bytes for each member and for each key that is left, on temporary disk beyond the budget.
CRIVO_API BuildSummary build_exact_part(const std::filesystem::path& directory, const Share& shard,
                                        const std::filesystem::path& output,
                                        const ExactOptions& exact = {},
                                        const BuildOptions& options = {});
/// Does the same for the delta that build_delta() (crivo/build/edit.hpp) would write for the set or
/// chain at `set`: keys must have been dealt out with its seed. The parts are merged without the
/// set.
CRIVO_API BuildSummary build_delta_part(const std::filesystem::path& set,
                                        const std::filesystem::path& directory, const Share& shard,
                                        const std::filesystem::path& output,
                                        const DeltaOptions& delta = {},
                                        const BuildOptions& options = {});

/// Puts the parts of all shards, in any order, together. O(bytes), and what parts leave over (some
/// 1.3 % of the keys of an MPHF). That is in memory: 0.4 bytes for each of the keys of "fast" and
/// "compact", 0.1 of "tiny", and 0.2 more with signatures; nothing of filters and maps; and 4 MiB.
/// Where a structure has fewer partitions than there are shards, parts have their keys as they are,
/// and this builds of them. Of a store the output is a directory; records are copied as their parts
/// encoded them, but for those of the keys left over.
/// Throws Error: usage that names a part that is missing, doubled, or of another build; corrupt for
/// a damaged one; io (also where the budget is smaller).
CRIVO_API BuildSummary merge_parts(const std::vector<std::filesystem::path>& parts,
                                   const std::filesystem::path& output,
                                   const BuildOptions& options = {});

/// Writes a small file by which the parts of all shards, given in any order, are served unmerged:
/// Mphf, Filter, Map and Store open it by its path, and answer as of the merged file and as fast
/// (but that signatures of an MPHF, and records, take a search for the part). It names the parts,
/// which must lie in its folder or below, and holds what is global (some 0.1 bytes a key of an
/// MPHF, 0.3 of a store, up to some pages a part of others): so it may be moved with its folder,
/// the parts may be read-only, and a part that is missing, damaged, or another file than now is
/// refused when it is opened. A store is sealed then, and read in one way whatever backend its
/// parts are for. Reads what the parts left over and no more, but that of an MPHF with signatures,
/// and of a store, it reads the functions. Throws Error as merge_parts() does, and usage for a part
/// that lies elsewhere.
CRIVO_API BuildSummary write_manifest(const std::vector<std::filesystem::path>& parts,
                                      const std::filesystem::path& output,
                                      const BuildOptions& options = {});

}  // namespace crivo
