// SPDX-License-Identifier: Apache-2.0
/// Writes an LMDB environment of ascending integer keys, always the same bytes for the same
/// entries.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "file/pending_file.hpp"

struct MDB_env;
struct MDB_txn;

namespace crivo::records {

/// Appends to a new environment; no lock file is made, and nothing is written through the mapping,
/// so that a full disk is an error and no signal. Transactions are committed after a number of
/// bytes, which bounds the memory that LMDB takes for changed pages.
class LmdbAppender {
 public:
  /// Fills `file`, which is empty and outlives the appender. Throws Error(io).
  explicit LmdbAppender(const file::PendingFile& file);
  ~LmdbAppender();
  LmdbAppender(const LmdbAppender&) = delete;
  LmdbAppender& operator=(const LmdbAppender&) = delete;

  /// Adds an entry; keys must ascend. Throws Error(io).
  void append(std::uint64_t key, base::ByteView value);
  /// Commits, waits until the file is on disk, and closes it. Throws Error(io).
  void finish();

  /// LMDB's page size: that of the machine, 4096 bytes on most.
  std::uint32_t page_size() const noexcept { return page_size_; }

 private:
  [[noreturn]] void fail(int result) const;
  void begin();
  void commit();

  const file::PendingFile& file_;
  MDB_env* environment_ = nullptr;
  MDB_txn* transaction_ = nullptr;
  unsigned database_ = 0;
  std::uint64_t map_size_ = 0;
  std::uint32_t page_size_ = 0;
  std::uint64_t uncommitted_ = 0;  // bytes
};

}  // namespace crivo::records
