// SPDX-License-Identifier: Apache-2.0
/// LMDB's functions that readers call, loaded when an environment is opened.
#pragma once

#include <lmdb.h>

#include <filesystem>

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

}  // namespace crivo::records
