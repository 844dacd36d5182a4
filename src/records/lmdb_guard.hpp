// SPDX-License-Identifier: Apache-2.0
/// Calls into LMDB that its own assertions must not end the process for.
#pragma once

#include <lmdb.h>

namespace crivo::records {

/// For mdb_env_set_assert() of every environment that guarded_get() reads.
void leave_lmdb(MDB_env* environment, const char* message);

/// mdb_cursor_get(), where a failed assertion is MDB_CORRUPTED. LMDB asserts what a walk at open
/// has checked: it fails where the file was overwritten since. A read-only cursor holds nothing
/// that is lost by jumping out of LMDB's functions, which are C.
int guarded_get(MDB_cursor* cursor, MDB_val& key, MDB_val& value, MDB_cursor_op operation) noexcept;

}  // namespace crivo::records
