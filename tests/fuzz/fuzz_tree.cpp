// SPDX-License-Identifier: Apache-2.0
/// Bytes as a store's data.mdb: refused by the scan of its tree, or LMDB itself can read every
/// group of it.
#include <lmdb.h>
#include <xxhash.h>

#include <cstdlib>

#include "fuzz/fuzz_input.hpp"
#include "records/backends/lmdb/lmdb_tree.hpp"

namespace {

std::uint64_t hash(const MDB_val& value) {
  return XXH3_64bits(value.mv_data, value.mv_size);
}

/// LMDB's walk over the file that `path` names; aborts where it is not what `scan` says.
void walk(const char* path, std::size_t size, const crivo::records::TreeScan& scan) {
  MDB_env* environment = nullptr;
  if (mdb_env_create(&environment) != 0) std::abort();
  if (mdb_env_set_mapsize(environment, size) != 0) std::abort();
  constexpr unsigned kFlags = MDB_NOSUBDIR | MDB_RDONLY | MDB_NOLOCK | MDB_NOTLS;
  if (mdb_env_open(environment, path, kFlags, 0) != 0) std::abort();
  MDB_txn* transaction = nullptr;
  if (mdb_txn_begin(environment, nullptr, MDB_RDONLY, &transaction) != 0) std::abort();
  MDB_dbi database = 0;
  if (mdb_dbi_open(transaction, nullptr, 0, &database) != 0) std::abort();
  MDB_cursor* cursor = nullptr;
  if (mdb_cursor_open(transaction, database, &cursor) != 0) std::abort();
  std::uint64_t entries = 0;
  MDB_val key{};
  MDB_val value{};
  for (int result = mdb_cursor_get(cursor, &key, &value, MDB_FIRST); result == 0;
       result = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) {
    ++entries;
    hash(value);  // every byte of it can be read
    // A wrong separator in a branch may hide an entry; the structure hash, which is not compared
    // here, tells of that.
    MDB_val found{};
    const int status = mdb_get(transaction, database, &key, &found);
    if (status != 0 && status != MDB_NOTFOUND) std::abort();
    if (status == 0 && hash(found) != hash(value)) std::abort();
  }
  if (entries != scan.groups + (scan.identity ? 1 : 0)) std::abort();
  mdb_cursor_close(cursor);
  mdb_txn_abort(transaction);
  mdb_env_close(environment);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace crivo;
  static fuzz::InputFile file;
  file.fill(data, size);
  fuzz::expect_use_or_refusal([&] {
    const records::TreeScan scan = records::scan_tree(file.descriptor(), 4096);
    walk(file.path().c_str(), size, scan);
  });
  return 0;
}
