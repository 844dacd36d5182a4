// SPDX-License-Identifier: Apache-2.0
/// Builds a record store's LMDB environment from units in rank order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.hpp"
#include "file/pending_file.hpp"
#include "records/build/backend_writer.hpp"
#include "records/build/record_encoder.hpp"
#include "records/codec.hpp"
#include "records/identity.hpp"

namespace crivo::records {

std::unique_ptr<RecordFileWriter> write_lmdb(file::PendingFile& data, file::ContainerWriter& index,
                                             const RecordFilePlan& plan);

}  // namespace crivo::records

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

/// The facts about a finished environment that the index file must hold.
struct FinishedEnvironment {
  ContentId content_id{};
  base::Bytes section;  ///< of type file::kEnvironmentSection
  base::Bytes codec;    ///< of type file::kCodecSection
  std::uint64_t file_size = 0;
};

/// Writes data.mdb.
class EnvironmentWriter {
 public:
  /// Fills `file`, which is empty, outlives the writer, and is the caller's to publish as data.mdb.
  /// `key_seed` is what the ranks' hashes were made with. Throws Error(io).
  EnvironmentWriter(const file::PendingFile& file, std::uint64_t key_seed);
  ~EnvironmentWriter();
  EnvironmentWriter(const EnvironmentWriter&) = delete;
  EnvironmentWriter& operator=(const EnvironmentWriter&) = delete;

  /// Adds the next units: those of all ranks from 0 on. Throws Error(io) if the file cannot be
  /// written; then only destruction.
  void add(std::span<const EncodedUnit> units);
  /// Writes what is left, waits until data.mdb is on disk, reads it again for its checksums.
  /// `codec` is that of the units. Last call.
  FinishedEnvironment finish(const CodecSection& codec);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace crivo::records
