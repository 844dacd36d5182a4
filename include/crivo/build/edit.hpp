// SPDX-License-Identifier: Apache-2.0
/// Changes of what is built: keys into and out of filters, unions, new records in a store; and of
/// files that stay as they were published: a delta turns an exact set, with the deltas before it,
/// into the next one, and adds keys to a filter; a chain is a base with the deltas that were
/// applied to it, and is asked as the base is.
///
///     crivo::add_to_filter("seen.crv", {.paths = {"new.txt"}});
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "crivo/build/build.hpp"
#include "crivo/build/keys.hpp"
#include "crivo/build/options.hpp"
#include "crivo/detail/export.hpp"
#include "crivo/error.hpp"
#include "crivo/filter.hpp"
#include "crivo/inspect.hpp"
#include "crivo/open.hpp"
#include "crivo/progress.hpp"

namespace crivo {

struct FilterEditOptions {
  /// Take one of equal keys of the input, instead of refusing them.
  bool ignore_duplicates = false;
  /// Add keys even if that makes the false-positive rate more than kMaxOverfill times what it was
  /// built for.
  bool overfill = false;
  Resources resources{};
};

/// Says what an edit did.
struct FilterEdit {
  FileInfo file;                 ///< as it is now
  std::uint64_t given = 0;       ///< distinct keys of the input
  std::uint64_t duplicates = 0;  ///< keys left out by ignore_duplicates
  std::uint64_t keys_before = 0;
  double fpr_before = 0;
  std::uint64_t capacity = 0;  ///< with more keys the rate is above the one it was built for
  /// Signs that the input's lines are not meant to be cut as they were, and what went wrong after
  /// the file was replaced, which makes it no failure: a line each, as in BuildSummary.
  std::vector<Warning> warnings;
};

/// Adds the keys of `input` to the filter file `path`, or removes them from it, all or none: the
/// file is written anew beside the old one, which takes its place at once and only when it is
/// whole, with its owner and permissions; a symbolic link to it stays one. Whoever else replaces
/// the file (another edit, a build) waits until this edit is done, but not while it reads and
/// hashes keys: the filter that is there when that is done is changed. (If it has another hash
/// function than the one before, the keys are hashed again, and those of a pipe are Error(io).)
///
/// Adding: a type with counters counts a key that is added again; a Bloom filter stays the same,
/// and so does its number of keys, for those it may hold already. Removing: a key that was never
/// added, but that the filter may hold, takes others with it; that cannot be told.
///
/// Throws Error: usage (the type cannot, or, without `overfill`, the rate would be too high),
/// bad_input (names file and line: a repeated key, or one to
/// remove that the filter surely lacks), io (also: the table is full), corrupt (the file was
/// damaged before). Then the file is as it was.
CRIVO_API FilterEdit add_to_filter(const std::filesystem::path& path, const KeyInput& input,
                                   const FilterEditOptions& options = {});
CRIVO_API FilterEdit remove_from_filter(const std::filesystem::path& path, const KeyInput& input,
                                        const FilterEditOptions& options = {});

/// Holds a number of keys that was estimated, and the standard deviation of the estimate.
struct SizeEstimate {
  double keys = 0;
  double sigma = 0;
};

struct SetSizes {
  SizeEstimate united;
  std::optional<SizeEstimate> common;  ///< nothing for more than kMaxIntersected sets
};

/// The most filters whose intersection is estimated: the work doubles with each.
inline constexpr std::size_t kMaxIntersected = 10;

/// Says what a union or intersection came to.
struct FilterCombination {
  FileInfo file;  ///< the output; its number of keys is the estimate
  SetSizes sizes;
  std::vector<Warning> warnings;  ///< as those of a FilterEdit
};

/// Writes the filter of all keys of the filters `paths` (two or more, of one type, with equal
/// parameters and seed), or one that holds all the keys that each of them holds. Throws Error:
/// usage (says what differs; an existing output without `replace`; more than kMaxIntersected to
/// intersect), corrupt, io.
CRIVO_API FilterCombination unite_filters(std::span<const std::filesystem::path> paths,
                                          const std::filesystem::path& output,
                                          bool replace = false);
CRIVO_API FilterCombination intersect_filters(std::span<const std::filesystem::path> paths,
                                              const std::filesystem::path& output,
                                              bool replace = false);

/// Says what an update did.
struct StoreEdit {
  std::uint64_t given = 0;      ///< records or keys of the input
  std::uint64_t added = 0;      ///< of the records to set, those of keys that had none
  std::uint64_t replaced = 0;   ///< those of keys that had another one
  std::uint64_t unchanged = 0;  ///< those that their keys had already
  std::uint64_t absent = 0;     ///< of the keys to remove, those that had no record
  std::uint64_t records = 0;    ///< that the store has now, or would have
  /// That the updates take more than half of what the data takes, from kLargeUpdates on.
  std::vector<Warning> warnings{};
};

/// Updates of fewer bytes are too few to warn of.
inline constexpr std::uint64_t kLargeUpdates = std::uint64_t{1} << 20;

/// Says which keys a set is for: all, those that have a record, or those that have none.
enum class SetKeys { any, existing, added };

struct StoreEditOptions {
  SetKeys keys = SetKeys::any;
  /// Remove the signature of a signed store, which would not cover its updates.
  bool drop_signature = false;
  bool dry_run = false;  ///< say what would be done, and leave the store as it is
  Resources resources{};
};

/// Gives each key of `input` (key-and-record pairs) its record, of a key that comes more than once
/// the last: all or none, at once, by one Store::Writer. Throws Error(bad_input), which names file
/// and line, where a key is none of `keys`; Error(usage) for a signed store, unless its signature
/// is dropped; else as Store::Writer does. Memory: as the records have, up to some 600 MB, and
/// half of `resources.memory` for what is known of the keys; what is more goes to the store's
/// log.
CRIVO_API StoreEdit set_records(const std::filesystem::path& store, const KeyInput& input,
                                const StoreEditOptions& options = {});
/// Removes the records of the keys of `input`, likewise.
CRIVO_API StoreEdit remove_records(const std::filesystem::path& store, const KeyInput& input,
                                   const StoreEditOptions& options = {});

/// From what size of the updates `crivo store set --compact` compacts: a quarter of the data file.
/// So updates and data take at most 1.25 times what the data takes, and one commit more.
inline constexpr double kCompactAbove = 0.25;

struct CompactOptions {
  /// Nothing is done unless the file of updates is larger than this share of the data file.
  double above = 0;
  Resources resources{};
};

/// Says what a compaction did.
struct StoreCompaction {
  bool is_compacted = false;       ///< false: there were no updates, or not enough of them
  std::uint64_t records = 0;       ///< that the store has
  std::uint64_t bytes_before = 0;  ///< of all files of the store
  std::uint64_t bytes = 0;         ///< now
  std::vector<Warning> warnings{};
};

/// Folds the updates of a store into a fresh generation of it: the files that a build of its
/// present records writes, with the seed, the choices and the notes that the store records; the
/// updates are gone. A key whose record was removed is none of the store any more, and a signature
/// of the index goes, as its index does. Readers go on with what they have open, and see the new
/// generation as they see that of a build. Other writers and builds wait meanwhile. A kill at any
/// moment leaves the store as it was, or compacted. Every record is checked as it is read.
///
/// Time and memory are those of the build; on disk there are for a moment both generations, and in
/// the temporary directory what the build keeps there. Throws Error(usage) if the store cannot be
/// updated, Error(corrupt) if anything of it is damaged, Error(io), Error(cancelled): then the
/// store is as it was.
CRIVO_API StoreCompaction compact_store(const std::filesystem::path& store,
                                        const CompactOptions& options = {});

/// Says how a chain of layers is changed: of an index of rows, whose layers name files, or of a
/// filter set, whose layers name groups.
struct LayersEdit {
  /// Names that are in the chain and are no more: what is theirs is found no more.
  std::vector<std::string> removed{};
  std::string snapshot{};  ///< a name for what the chain is now, which inspect() shows
};

/// Says what such a change wrote.
struct LayersChange {
  std::filesystem::path output;
  std::uint64_t bytes = 0;  ///< of the chain with its layers
  std::size_t layers = 0;
  std::uint64_t keys = 0;   ///< of all layers
  std::uint64_t added = 0;  ///< keys
  std::uint64_t names = 0;  ///< that are not removed
  std::uint64_t removed_names = 0;
  std::string state{};  ///< in hexadecimal digits
  std::vector<Warning> warnings{};
};

/// Adds the rows of new files to an index of rows: builds a layer of them, and writes the chain of
/// the layers of `rows` (an index or a chain) and that one to `chain`. Where that is `rows` itself,
/// it is replaced at once: whoever has it open goes on with the old one, a process that is killed
/// leaves the old or the new one, and two who change one chain wait for each other. Layers lie
/// beside the chain, as its name with `.N.rows`; the index that the first was made of stays where
/// it is. Those that only have removed files leave the chain, and their files go with the next
/// change. Seed, hash, width of signatures, and what is a key (RowsOptions::many, null_text and
/// fixed) are those of the index, whatever is asked for, and files are looked at if its are.
///
/// Throws Error(bad_input) for a file to be removed that is not there, for one that the index has
/// and that is not removed at once, and as build_rows() does; Error(usage) for what is no index of
/// rows, for one in another folder than the chain's, for more than 64 layers, and where `chain`
/// exists and is another file, unless `options.replace`; Error(corrupt, io).
CRIVO_API LayersChange add_rows(const std::filesystem::path& rows, const KeyInput& pairs,
                                const std::filesystem::path& chain, const RowsOptions& layer = {},
                                const LayersEdit& edit = {}, const BuildOptions& options = {});
/// Removes files alone, likewise.
CRIVO_API LayersChange remove_rows(const std::filesystem::path& rows,
                                   const std::filesystem::path& chain, const LayersEdit& edit,
                                   const BuildOptions& options = {});
/// Builds a chain anew as one layer, of the rows of all its files, whose keys no index has. Throws
/// Error(bad_input) too where `pairs` has a file that the chain does not have, or none of a file
/// that it has.
CRIVO_API LayersChange compact_rows(const std::filesystem::path& chain, const KeyInput& pairs,
                                    const RowsOptions& layer = {}, const LayersEdit& edit = {},
                                    const BuildOptions& options = {});

/// Adds new groups to a filter set: builds a layer of them, and writes the chain of the layers of
/// `set` (a filter set or a chain) and that one to `chain`, as add_rows() does; layers lie beside
/// it as its name with `.N.groups`. Type, rate, seed and hash are those of the set. Throws
/// Error(bad_input) for a group that the set has and that is not removed at once, for one to be
/// removed that is not there, and as build_filter_set() does; Error(usage) where the form of keys
/// that the set notes (keys::kFormName) is another in BuildOptions::notes, or one of both has none;
/// Error(usage, corrupt, io) as add_rows().
CRIVO_API LayersChange add_groups(const std::filesystem::path& set, const KeyInput& pairs,
                                  const std::filesystem::path& chain, const LayersEdit& edit = {},
                                  const BuildOptions& options = {});
/// Removes groups alone, likewise. Their names may come back.
CRIVO_API LayersChange remove_groups(const std::filesystem::path& set,
                                     const std::filesystem::path& chain, const LayersEdit& edit,
                                     const BuildOptions& options = {});
/// Puts the filters of all groups into one layer, as they are: no keys are needed, and its sections
/// are those that a build of them writes. Where groups were removed, its number of keys is
/// estimated. O(bytes).
CRIVO_API LayersChange compact_groups(const std::filesystem::path& chain,
                                      const LayersEdit& edit = {},
                                      const BuildOptions& options = {});

struct DeltaOptions {
  /// As ExactOptions::group_delimiter, for a set with groups.
  std::string group_delimiter{};
  /// As ExactOptions::covers: what the universe covers now beside what the set covers.
  std::string covers{};
  bool strict = false;  ///< refuse members that are not in the universe, instead of a warning
};

/// Writes the delta after which the set or chain at `set` has these members, and no others of this
/// universe, which has grown or is the same: a key that was in a universe before and is in this one
/// no more may be answered in any way. Members are in the universe or not. The universe is read
/// twice; a pipe is kept, by its hashes. The file has some log2(keys / changes) + 4 bits for each
/// key whose answer changes, among them those new keys that the set took for members.
///
/// The seed of `options` says nothing; of Output it is as build_exact(). Memory: 24 bytes
/// for each member and for each key of the universe that the set takes for one, on temporary disk
/// beyond the budget, and 500 bytes for each key that changes. Throws Error(usage) where `set` is
/// no exact set or chain; Error(bad_input) for a member that comes twice, with `strict` for members
/// outside the universe, and where two keys cannot be told apart; Error(corrupt, io).
CRIVO_API BuildSummary build_delta(const std::filesystem::path& set, const KeyInput& members,
                                   const KeyInput& universe, const Output& output,
                                   const DeltaOptions& delta = {},
                                   const BuildOptions& options = {});

struct FilterDeltaOptions {
  /// The highest false-positive rate of the layer that the delta adds, from 2^-32 to below 1.
  /// Without it the i-th delta of a filter has that of the filter divided by i (i + 1), or 2^-32:
  /// then a chain errs less than twice as often as its base, however many deltas it has.
  std::optional<double> fpr{};
};

/// Writes the delta after which the filter, or chain of one, at `filter` holds these keys, too.
/// Those that it holds already, or takes for its own by accident, are left out, so that `added` may
/// be a whole list. The others are in a filter of their own of type ribbon, a *layer*: log2(1 /
/// rate) bits a key and some 500 bytes. A lookup in a chain asks its base and all layers, each some
/// 20 nanoseconds, for a key that none holds.
///
/// The base may be of any type but split-block-bloom and range. Of `options` the seed says nothing;
/// of Output it is as build_filter(), and the summary's keys are those given. Memory: 16 bytes for
/// each key given, on temporary disk beyond the budget. Throws Error(usage) where `filter` is no
/// such filter or chain of one, or a manifest, and for a rate out of range; Error(bad_input) for a
/// key that comes twice; Error(corrupt, io).
CRIVO_API BuildSummary build_filter_delta(const std::filesystem::path& filter,
                                          const KeyInput& added, const Output& output,
                                          const FilterDeltaOptions& delta = {},
                                          const BuildOptions& options = {});

/// Says what squash_deltas() and apply_deltas() wrote.
struct DeltaSummary {
  std::filesystem::path output;
  std::uint64_t bytes = 0;        ///< of the delta; of a chain with its base and deltas
  std::uint64_t base_bytes = 0;   ///< of a chain
  std::uint64_t delta_bytes = 0;  ///< of a chain
  std::uint64_t deltas = 0;       ///< in all; a squashed one counts for those that it joins
  std::uint64_t flips = 0;        ///< keys whose answers change; none of a filter
  std::uint64_t members = 0;      ///< of the set after them, or keys of the filter
  double fpr = 0;                 ///< of a chain of a filter: of its base and all layers
  bool is_long = false;           ///< of a chain: the deltas take more than a quarter of the base
  /// Whether a new base serves better: the chain is long, or a filter that errs more than twice as
  /// often as its base.
  bool rebase = false;
  std::string state{};  ///< in hexadecimal digits: what the next delta must follow
  std::vector<Warning> warnings{};
};

/// Joins deltas that follow each other, in their order, to one file that has the same effect and
/// leads to the same state, so that what follows them follows it, too. Needs no universe. It is
/// about as large as they are. Throws Error(corrupt) for a delta that does not follow the one
/// before it; Error(usage) for a file that is not a delta, for more than 1000 layers of a filter,
/// and where the output exists, unless `replace`; Error(io).
CRIVO_API DeltaSummary squash_deltas(std::span<const std::filesystem::path> deltas,
                                     const std::filesystem::path& output, bool replace = false);

struct ApplyOptions {
  bool replace = false;  ///< an output that is not the chain to be lengthened, and exists
  /// Whose signatures the base and the deltas must have: each is checked as by verify_signed().
  std::optional<Trust> trust{};
};

/// Writes the chain of an exact set or a filter, or of the files of a chain, and then these deltas,
/// in their order. A chain names its files by their paths below its folder. Where `output` is the
/// chain itself it is replaced at once: whoever has it open goes on with the old one, and a process
/// that is killed leaves the old or the new one. Two who lengthen one chain at once wait for each
/// other, and the second may find that its delta does not follow any more.
///
/// Throws Error(corrupt), and changes nothing, for a delta of another base, out of order or
/// damaged, and for a file whose signature is not as it should be; Error(usage) for files of other
/// kinds or outside the chain's folder, and where the output exists; Error(io). O(bytes of all
/// deltas).
CRIVO_API DeltaSummary apply_deltas(const std::filesystem::path& set,
                                    std::span<const std::filesystem::path> deltas,
                                    const std::filesystem::path& output,
                                    const ApplyOptions& options = {});

}  // namespace crivo
