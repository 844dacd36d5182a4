// SPDX-License-Identifier: Apache-2.0
#include <csetjmp>
#include <string>

#include "crivo/error.hpp"
#include "records/backends/lmdb/liblmdb.hpp"

namespace crivo::records {

namespace {

/// Where a failed assertion of LMDB leads on this thread, which would else end the process.
thread_local std::jmp_buf* assertion_exit = nullptr;

}  // namespace

void throw_lmdb_error(const std::filesystem::path& path, int result) {
  throw Error(ErrorKind::io, path.string() + ": " + mdb_strerror(result));
}

void leave_lmdb(MDB_env*, const char*) {
  if (assertion_exit != nullptr) std::longjmp(*assertion_exit, 1);
}

int guarded_get(MDB_cursor* cursor, MDB_val& key, MDB_val& value,
                MDB_cursor_op operation) noexcept {
  std::jmp_buf exit;
  if (setjmp(exit) != 0) {
    assertion_exit = nullptr;
    return MDB_CORRUPTED;
  }
  assertion_exit = &exit;
  const int result = mdb_cursor_get(cursor, &key, &value, operation);
  assertion_exit = nullptr;
  return result;
}

}  // namespace crivo::records
