// SPDX-License-Identifier: Apache-2.0
#include "records/backends/lmdb/build/lmdb_snapshot.hpp"

#include <cerrno>

#include "crivo/error.hpp"
#include "records/backends/lmdb/liblmdb.hpp"
#include "records/backends/lmdb/lmdb_guard.hpp"

namespace crivo::records {

namespace {

/// A meta page is written over by every second transaction.
constexpr int kSnapshotTries = 100;
/// Of a lock file, which the umask narrows.
constexpr mdb_mode_t kLockMode = 0666;

void check(const std::filesystem::path& path, int result) {
  if (result == EACCES) {
    throw Error(ErrorKind::io, path.string() +
                                   ": LMDB cannot open its lock file: reading beside programs that "
                                   "write needs permission to write that file; read a copy made by "
                                   "mdb_copy instead");
  }
  if (result != MDB_SUCCESS) throw_lmdb_error(path, result);
}

}  // namespace

LmdbSnapshot::LmdbSnapshot(const std::filesystem::path& environment) {
  const bool is_file = !std::filesystem::is_directory(environment);
  file_ = base::FileDescriptor::open_to_read(is_file ? environment : environment / kDataFile);
  // LMDB believes meta pages as soon as it opens the file, and maps all pages that they count.
  const lmdb::TreeFile front(file_);
  front.check_length(front.last_meta());
  try {
    open(environment, is_file);
  } catch (...) {
    close();
    throw;
  }
}

LmdbSnapshot::~LmdbSnapshot() {
  close();
}

void LmdbSnapshot::open(const std::filesystem::path& environment, bool is_file) {
  check(environment, mdb_env_create(&environment_));
  mdb_env_set_assert(environment_, leave_lmdb);
  // A meta page may ask for any room to grow, for which the system may have none.
  std::uint64_t mapped = file_.size();
  check(environment, mdb_env_set_mapsize(environment_, mapped));
  const unsigned flags = MDB_RDONLY | MDB_NOTLS | (is_file ? MDB_NOSUBDIR : 0U);
  check(environment, mdb_env_open(environment_, environment.c_str(), flags, kLockMode));
  for (int left = kSnapshotTries; left != 0; --left) {
    const int begun = mdb_txn_begin(environment_, nullptr, MDB_RDONLY, &transaction_);
    if (begun == MDB_MAP_RESIZED) {  // it counts more pages than are mapped
      if (file_.size() <= mapped) lmdb::fail("it ends before its last page");
      mapped = file_.size();
      check(environment, mdb_env_set_mapsize(environment_, mapped));
      continue;
    }
    check(environment, begun);
    tree_ = std::make_unique<lmdb::TreeFile>(file_);
    const std::uint64_t number = mdb_txn_id(transaction_);
    meta_ = tree_->meta(number % lmdb::kMetaPages);
    if (meta_.transaction == number) {
      tree_->check_length(meta_);
      return;
    }
    // Transactions take turns on the pages; where they do not, LMDB reads another one than we do.
    if (tree_->meta((number + 1) % lmdb::kMetaPages).transaction == number)
      lmdb::fail("its meta pages are in each other's place");
    mdb_txn_abort(transaction_);
    transaction_ = nullptr;
  }
  throw Error(ErrorKind::io, environment.string() + ": is written too fast to be read");
}

void LmdbSnapshot::close() noexcept {
  if (transaction_ != nullptr) mdb_txn_abort(transaction_);
  if (environment_ != nullptr) mdb_env_close(environment_);
}

}  // namespace crivo::records
