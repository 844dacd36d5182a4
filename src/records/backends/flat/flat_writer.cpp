// SPDX-License-Identifier: Apache-2.0
#include <span>
#include <utility>

#include "file/section_types.hpp"
#include "records/backends/flat/flat.hpp"
#include "records/backends/flat/slots.hpp"
#include "records/codec_section.hpp"
#include "records/content_hash.hpp"
#include "records/record_encoder.hpp"

namespace crivo::records {

namespace {

class FlatWriter final : public RecordFileWriter {
 public:
  FlatWriter(file::PendingFile& data, file::ContainerWriter& index, const RecordFilePlan& plan)
      : plan_(plan),
        data_(data),
        units_(data_.begin_section(file::kUnitSection)),
        index_(index),
        slots_(index.begin_section(file::kSlotSection)) {}

  void add(std::span<const EncodedUnit> units) override {
    for (const EncodedUnit& unit : units) put(unit);
  }

  FinishedRecords finish(CodecSection codec) override {
    if (!line_.empty()) close_line();
    const base::Bytes codec_bytes = codec.encode();
    index_.begin_section(file::kCodecSection).append(codec_bytes);
    FinishedRecords finished;
    finished.content_id = content_.finish(codec_bytes, plan_.records, plan_.key_seed);
    file::Header header;
    header.kind = file::Kind::records;
    header.keys = plan_.records;
    header.seed = plan_.key_seed;
    header.content_id = finished.content_id;
    finished.file_bytes = data_.finish(header, {}).bytes;
    finished.codec = std::move(codec);
    return finished;
  }

 private:
  void put(const EncodedUnit& unit) {
    const std::uint16_t first = unit.fingerprints.front();
    if (unit.stored.size() <= kMostEntryBytes) {
      line_.add_unit(first, unit.stored);
    } else {  // it goes before the entries of its line, so that none of it is kept here
      line_.add_reference(first, place_, unit.stored.size());
      write(unit.stored);
    }
    if (line_.full()) close_line();
    for (const std::uint16_t fingerprint : unit.fingerprints.subspan(1)) {
      line_.add_member(fingerprint);
      if (line_.full()) close_line();
    }
  }

  void close_line() {
    const std::uint64_t place = place_;
    write(line_.entries());
    slots_.append(line_.finish(place));
  }

  void write(base::ByteView bytes) {
    units_.append(bytes);
    content_.add_group(bytes);
    place_ += bytes.size();
  }

  RecordFilePlan plan_;
  file::ContainerWriter data_;
  base::Sink& units_;
  file::ContainerWriter& index_;
  base::Sink& slots_;
  ContentHash content_;
  SlotLine line_;
  std::uint64_t place_ = 0;  ///< in the section of units
};

}  // namespace

std::unique_ptr<RecordFileWriter> write_flat(file::PendingFile& data, file::ContainerWriter& index,
                                             const RecordFilePlan& plan) {
  return std::make_unique<FlatWriter>(data, index, plan);
}

}  // namespace crivo::records
