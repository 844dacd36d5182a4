// SPDX-License-Identifier: Apache-2.0
/// Builds a record store's LMDB environment from records in rank order.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "base/bytes.hpp"
#include "file/pending_file.hpp"
#include "records/codec.hpp"
#include "records/identity.hpp"

namespace crivo::records {

/// What the index file must hold about a finished environment.
struct FinishedEnvironment {
  ContentId content_id{};
  base::Bytes section;  ///< of type file::kEnvironmentSection
  base::Bytes codec;    ///< of type file::kCodecSection
  std::uint64_t file_size = 0;
};

/// Writes data.mdb. Its bytes depend on the records, the seed and the request alone, not on
/// `threads`. Memory: that of a RecordEncoder.
class EnvironmentWriter {
 public:
  /// Fills `file`, which is empty, outlives the writer, and is the caller's to publish as data.mdb.
  /// `key_seed` is what the ranks' hashes were made with; `records` will come. Throws Error(io).
  EnvironmentWriter(const file::PendingFile& file, std::uint64_t key_seed,
                    const CodecRequest& request, std::uint64_t records, unsigned threads);
  ~EnvironmentWriter();
  EnvironmentWriter(const EnvironmentWriter&) = delete;
  EnvironmentWriter& operator=(const EnvironmentWriter&) = delete;

  /// Adds the record of the next rank, the first of which is 0. Throws Error(bad_input) for a key
  /// or record over the limits, Error(io) if the file cannot be written; after either, only
  /// destruction.
  void append(std::string_view key, std::string_view record);
  /// Writes what is left, waits until data.mdb is on disk, reads it again for its checksums. Last
  /// call.
  FinishedEnvironment finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace crivo::records
