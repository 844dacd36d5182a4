// SPDX-License-Identifier: Apache-2.0
/// Updating the records of a store from files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "crivo/export.hpp"
#include "crivo/keys.hpp"
#include "crivo/progress.hpp"
#include "crivo/resources.hpp"
#include "crivo/warning.hpp"

namespace crivo {

/// What an update did.
struct StoreEdit {
  std::uint64_t given = 0;    ///< records or keys of the input
  std::uint64_t absent = 0;   ///< of the keys to remove, those that had no record
  std::uint64_t records = 0;  ///< that the store has now
};

/// Gives each key of `input` (key-and-record pairs) its record, of a key that comes more than once
/// the last: all or none, at once, by one Store::Writer. Throws Error(bad_input), which names file
/// and line, where a key is not one of the store; else as Store::Writer does. Memory: as the
/// records have, up to some 600 MB.
CRIVO_API StoreEdit set_records(const std::filesystem::path& store, const KeyInput& input,
                                Progress* progress = nullptr);
/// Removes the records of the keys of `input`, likewise.
CRIVO_API StoreEdit remove_records(const std::filesystem::path& store, const KeyInput& input,
                                   Progress* progress = nullptr);

/// From what size of the updates `crivo store set --compact` compacts: a quarter of the data file.
/// So updates and data take at most 1.25 times what the data takes, and one commit more.
inline constexpr double kCompactAbove = 0.25;

struct CompactOptions {
  /// Nothing is done unless the file of updates is larger than this share of the data file.
  double above = 0;
  Resources resources{};
};

/// What a compaction did.
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

}  // namespace crivo
