// SPDX-License-Identifier: Apache-2.0
/// LMDB's functions: its header, or in libcrivo-read what loads the library.
#pragma once

#include <lmdb.h>

#include <filesystem>

#if defined(CRIVO_READ_ONLY)
#include "base/loaded_library.hpp"
#endif

namespace crivo::records {

#if defined(CRIVO_READ_ONLY)

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

#endif

/// Before an environment is opened: throws Error(io), which names `path`, where LMDB is to be
/// loaded and cannot be.
inline void require_lmdb([[maybe_unused]] const std::filesystem::path& path) {
#if defined(CRIVO_READ_ONLY)
  liblmdb.require(path.string() + ":");
#endif
}

}  // namespace crivo::records
