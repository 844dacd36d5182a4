// SPDX-License-Identifier: Apache-2.0
/// The entries of an LMDB environment that is there already, as the input of a build: a filter, an
/// MPHF or a map in front of it spares lookups in it, and a store can take its place.
///
///     build_filter(lmdb_entries("/var/lib/pages"), "pages.crv");
///     build_store(lmdb_entries("/var/lib/pages", {.take = LmdbTake::records}), "pages");
#pragma once

#include <filesystem>
#include <string>

#include "crivo/export.hpp"
#include "crivo/keys.hpp"

namespace crivo {

/// What is taken of each entry beside its key.
enum class LmdbTake {
  keys,           ///< nothing
  records,        ///< its value, as the record of a store
  text_values,    ///< its value, the text of a number, as that of a map
  binary_values,  ///< its value, a number of 1 to 8 bytes with the lowest first, as that of a map
};

struct LmdbInput {
  std::string database{};  ///< the name of one, or the environment's unnamed one
  LmdbTake take = LmdbTake::keys;
};

/// The entries of `environment`, a directory or, as made with MDB_NOSUBDIR, a file, of LMDB 0.9.
/// Other processes may write to it meanwhile: what is read is what the last transaction had left
/// when this was called, which takes one of its reader slots until the input is gone. This process
/// must not have it open itself, as LMDB does not allow that. Each page is checked before it is
/// believed. A key that has several values there is one key where keys are taken, and refused
/// elsewhere.
///
/// Cost here: a read of all pages but those of large values; 24 bytes of memory a leaf page.
/// Throws Error(usage) for no database of that name, or where only named ones hold entries,
/// Error(bad_input) for what is damaged or no environment, Error(io).
CRIVO_API KeyInput lmdb_entries(const std::filesystem::path& environment,
                                const LmdbInput& input = {});

}  // namespace crivo
