// SPDX-License-Identifier: Apache-2.0
/// How calls into LMDB fail: its errors, and its own assertions, which must not end the process.
#pragma once

#include <filesystem>
#include <string_view>

#include "records/backends/lmdb/liblmdb.hpp"

namespace crivo::records {

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
