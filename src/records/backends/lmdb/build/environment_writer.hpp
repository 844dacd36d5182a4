// SPDX-License-Identifier: Apache-2.0
/// Builds a record store's LMDB environment from units in rank order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.hpp"
#include "file/pending_file.hpp"
#include "records/build/record_encoder.hpp"
#include "records/codec_section.hpp"
#include "records/identity.hpp"

namespace crivo::records {

/// What the index file must hold about a finished environment.
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
