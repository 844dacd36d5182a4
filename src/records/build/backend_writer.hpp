// SPDX-License-Identifier: Apache-2.0
/// Writing a store's records by a backend. To add a backend: see records/backend.hpp; its writer
/// gets a row in records/backends/build/registry.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "file/container.hpp"
#include "file/pending_file.hpp"
#include "records/backend.hpp"
#include "records/build/record_encoder.hpp"

namespace crivo::records {

/// The plan of a file of records.
struct RecordFilePlan {
  std::uint64_t records = 0;
  std::uint64_t key_seed = 0;
  file::HashTree tree = file::HashTree::sha256;  ///< of a data file that can have one
};

/// Facts about the records that were written.
struct FinishedRecords {
  ContentId content_id{};
  std::uint64_t file_bytes = 0;
  CodecSection codec;
};

/// Writes a data file, and its sections of the index file.
class RecordFileWriter {
 public:
  virtual ~RecordFileWriter() = default;

  /// Adds the next units: those of all ranks from 0 on. Throws Error(io); then only destruction.
  virtual void add(std::span<const EncodedUnit> units) = 0;
  /// Writes what is left, and the sections that are not written yet; `codec` is that of the units.
  /// Last call.
  virtual FinishedRecords finish(CodecSection codec) = 0;
};

/// How a backend writes: a row for each of backends().
struct BackendWriter {
  std::string_view name;  ///< of the Backend
  /// Fills `data`, which is empty and outlives the writer; sections go to `index` as they come, so
  /// that no others may be begun until finish().
  std::unique_ptr<RecordFileWriter> (*writer)(file::PendingFile& data, file::ContainerWriter& index,
                                              const RecordFilePlan& plan);
};

const BackendWriter& writer_of(const Backend& backend) noexcept;

}  // namespace crivo::records
