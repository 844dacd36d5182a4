// SPDX-License-Identifier: Apache-2.0
/// Changes of what is built: keys into and out of filters, unions, new records in a store.
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

/// A number of keys that was estimated, and the standard deviation of the estimate.
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

/// The filter of all keys of the filters `paths` (two or more, of one type, with equal parameters
/// and seed), or one that holds all the keys that each of them holds. Throws Error: usage (says
/// what differs; an existing output without `replace`; more than kMaxIntersected to intersect),
/// corrupt, io.
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

/// How a chain of an index of rows is changed.
struct RowsEdit {
  /// Names of files that are in the index and are no more: their rows are found no more.
  std::vector<std::string> removed{};
  std::string snapshot{};  ///< a name for what the table is now, which inspect() shows
};

/// Says what an edit of an index of rows wrote.
struct RowsChange {
  std::filesystem::path output;
  std::uint64_t bytes = 0;  ///< of the chain with its layers
  std::size_t layers = 0;
  std::uint64_t keys = 0;   ///< of all layers
  std::uint64_t added = 0;  ///< keys
  std::uint64_t files = 0;  ///< that are not removed
  std::uint64_t removed_files = 0;
  std::string state{};  ///< in hexadecimal digits
  std::vector<Warning> warnings{};
};

/// Adds the rows of new files to an index of rows: builds a layer of them, and writes the chain of
/// the layers of `rows` (an index or a chain) and that one to `chain`. Where that is `rows` itself,
/// it is replaced at once: whoever has it open goes on with the old one, a process that is killed
/// leaves the old or the new one, and two who change one chain wait for each other. Layers lie
/// beside the chain, as its name with `.N.rows`; the index that the first was made of stays where
/// it is. Those that only have removed files leave the chain, and their files go with the next
/// change. Seed, hash and width of signatures are those of the index, whatever is asked for, and
/// files are looked at if its are.
///
/// Throws Error(bad_input) for a file to be removed that is not there, for one that the index has
/// and that is not removed at once, and as build_rows() does; Error(usage) for what is no index of
/// rows, for one in another folder than the chain's, for more than 64 layers, and where `chain`
/// exists and is another file, unless `options.replace`; Error(corrupt, io).
CRIVO_API RowsChange add_rows(const std::filesystem::path& rows, const KeyInput& pairs,
                              const std::filesystem::path& chain, const RowsOptions& layer = {},
                              const RowsEdit& edit = {}, const BuildOptions& options = {});
/// Removes files alone, likewise.
CRIVO_API RowsChange remove_rows(const std::filesystem::path& rows,
                                 const std::filesystem::path& chain, const RowsEdit& edit,
                                 const BuildOptions& options = {});
/// Builds a chain anew as one layer, of the rows of all its files, whose keys no index has. Throws
/// Error(bad_input) too where `pairs` has a file that the chain does not have, or none of a file
/// that it has.
CRIVO_API RowsChange compact_rows(const std::filesystem::path& chain, const KeyInput& pairs,
                                  const RowsOptions& layer = {}, const RowsEdit& edit = {},
                                  const BuildOptions& options = {});

}  // namespace crivo
