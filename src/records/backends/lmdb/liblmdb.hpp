// SPDX-License-Identifier: Apache-2.0
/// LMDB's functions that readers call, loaded when an environment is opened, and the guard of its
/// calls.
#pragma once

#include <lmdb.h>

#include <filesystem>
#include <string_view>

#include "base/loaded_library.hpp"

namespace crivo::records {

inline constinit base::LoadedLibrary liblmdb("liblmdb", "liblmdb.so.0", "liblmdb.so");

CRIVO_LOADED(liblmdb, mdb_cursor_close);
CRIVO_LOADED(liblmdb, mdb_cursor_get);
CRIVO_LOADED(liblmdb, mdb_cursor_open);
CRIVO_LOADED(liblmdb, mdb_dbi_open);
CRIVO_LOADED(liblmdb, mdb_env_close);
CRIVO_LOADED(liblmdb, mdb_env_create);
CRIVO_LOADED(liblmdb, mdb_env_get_fd);
CRIVO_LOADED(liblmdb, mdb_env_open);
CRIVO_LOADED(liblmdb, mdb_env_set_assert);
CRIVO_LOADED(liblmdb, mdb_env_set_mapsize);
CRIVO_LOADED(liblmdb, mdb_strerror);
CRIVO_LOADED(liblmdb, mdb_txn_abort);
CRIVO_LOADED(liblmdb, mdb_txn_begin);

/// Before an environment is opened: throws Error(io), which names `path`, where LMDB is to be
/// loaded and cannot be.
inline void require_lmdb(const std::filesystem::path& path) {
  liblmdb.require(path.string() + ":");
}

/// The name of the data file in an environment's directory.
inline constexpr std::string_view kDataFile = "data.mdb";

/// Turns what an LMDB function returned into Error(io) about `path`.
[[noreturn]] void throw_lmdb_error(const std::filesystem::path& path, int result);

/// For mdb_env_set_assert() of every environment that guarded_get() reads.
void leave_lmdb(MDB_env* environment, const char* message);

/// mdb_cursor_get(), where a failed assertion is MDB_CORRUPTED. LMDB asserts what a walk at open
/// has checked: it fails where the file was overwritten since. A read-only cursor holds nothing
/// that is lost by jumping out of LMDB's functions, which are C.
int guarded_get(MDB_cursor* cursor, MDB_val& key, MDB_val& value, MDB_cursor_op operation) noexcept;

}  // namespace crivo::records
