// SPDX-License-Identifier: Apache-2.0
#include "records/backends/lmdb/build/lmdb_writer.hpp"

#include <utility>

#include "file/section_types.hpp"
#include "records/backends/lmdb/build/environment_writer.hpp"
#include "records/backends/lmdb/lmdb.hpp"

namespace crivo::records {

namespace {

class LmdbWriter final : public RecordFileWriter {
 public:
  LmdbWriter(file::PendingFile& data, file::ContainerWriter& index, const RecordFilePlan& plan)
      : index_(index), writer_(data, plan.key_seed) {}

  void add(std::span<const EncodedUnit> units) override { writer_.add(units); }
  FinishedRecords finish(CodecSection codec) override {
    const FinishedEnvironment finished = writer_.finish(codec);
    index_.begin_section(file::kEnvironmentSection).append(finished.section);
    index_.begin_section(file::kCodecSection).append(finished.codec);
    return {finished.content_id, finished.file_size, std::move(codec)};
  }

 private:
  file::ContainerWriter& index_;
  EnvironmentWriter writer_;
};

}  // namespace

std::unique_ptr<RecordFileWriter> write_lmdb(file::PendingFile& data, file::ContainerWriter& index,
                                             const RecordFilePlan& plan) {
  return std::make_unique<LmdbWriter>(data, index, plan);
}

}  // namespace crivo::records
