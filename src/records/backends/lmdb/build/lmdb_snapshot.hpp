// SPDX-License-Identifier: Apache-2.0
/// An LMDB environment of any program, as its last transaction left it.
#pragma once

#include <filesystem>
#include <memory>

#include "base/file_descriptor.hpp"
#include "records/backends/lmdb/lmdb_tree.hpp"

struct MDB_env;
struct MDB_txn;

namespace crivo::records {

/// Holds a reader's slot, so that other processes' writers leave the pages of the snapshot alone.
/// LMDB itself is shown none of them but the meta pages, once those were checked, and maps the file
/// as it is: not the room to grow that a meta page asks for.
class LmdbSnapshot {
 public:
  /// `environment` is a directory that holds data.mdb, or the file itself. Throws Error(corrupt)
  /// where it is damaged or none, Error(io).
  explicit LmdbSnapshot(const std::filesystem::path& environment);
  ~LmdbSnapshot();
  LmdbSnapshot(const LmdbSnapshot&) = delete;
  LmdbSnapshot& operator=(const LmdbSnapshot&) = delete;

  const lmdb::TreeFile& file() const noexcept { return *tree_; }
  const lmdb::Meta& meta() const noexcept { return meta_; }

 private:
  void open(const std::filesystem::path& environment, bool is_file);
  void close() noexcept;

  base::FileDescriptor file_;
  MDB_env* environment_ = nullptr;
  MDB_txn* transaction_ = nullptr;
  std::unique_ptr<lmdb::TreeFile> tree_;
  lmdb::Meta meta_{};
};

}  // namespace crivo::records
