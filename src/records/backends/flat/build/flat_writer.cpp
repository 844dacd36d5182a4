// SPDX-License-Identifier: Apache-2.0
#include "records/backends/flat/build/flat_writer.hpp"

#include <span>
#include <utility>

#include "file/section_types.hpp"
#include "records/backends/flat/flat.hpp"
#include "records/build/record_encoder.hpp"
#include "records/codec.hpp"
#include "records/content_hash.hpp"

namespace crivo::records {

namespace {

/// Hashes what it appends to the section of units.
class HashedSink final : public base::Sink {
 public:
  explicit HashedSink(base::Sink& units) : units_(units) {}
  void append(base::ByteView bytes) override {
    units_.append(bytes);
    content.add_group(bytes);
  }
  std::uint64_t size() const noexcept override { return units_.size(); }

  ContentHash content;

 private:
  base::Sink& units_;
};

class FlatWriter final : public RecordFileWriter {
 public:
  FlatWriter(file::PendingFile& data, file::ContainerWriter& index, const RecordFilePlan& plan)
      : plan_(plan),
        data_(data, plan.tree, file::PageSums::none),
        units_(data_.begin_section(file::kUnitSection)),
        index_(index),
        slots_(units_, index.begin_section(file::kSlotSection)) {}

  void add(std::span<const EncodedUnit> units) override {
    for (const EncodedUnit& unit : units) {
      slots_.add_unit(unit.fingerprints.front(), unit.stored);
      for (const std::uint16_t fingerprint : unit.fingerprints.subspan(1))
        slots_.add_member(fingerprint);
    }
  }

  FinishedRecords finish(CodecSection codec) override {
    slots_.finish();
    const base::Bytes codec_bytes = codec.encode();
    index_.begin_section(file::kCodecSection).append(codec_bytes);
    FinishedRecords finished;
    finished.content_id = units_.content.finish(codec_bytes, plan_.records, plan_.key_seed);
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
  RecordFilePlan plan_;
  file::ContainerWriter data_;
  HashedSink units_;
  file::ContainerWriter& index_;
  SlotWriter slots_;
};

}  // namespace

std::unique_ptr<RecordFileWriter> write_flat(file::PendingFile& data, file::ContainerWriter& index,
                                             const RecordFilePlan& plan) {
  return std::make_unique<FlatWriter>(data, index, plan);
}

void SlotWriter::add_unit(std::uint16_t fingerprint, base::ByteView unit) {
  if (unit.size() <= kMostEntryBytes) {
    line_.add_unit(fingerprint, unit);
  } else {  // it goes before the entries of its line, so that none of it is kept here
    line_.add_reference(fingerprint, units_.size(), unit.size());
    units_.append(unit);
  }
  end_slot();
}

void SlotWriter::add_member(std::uint16_t fingerprint) {
  line_.add_member(fingerprint);
  end_slot();
}

void SlotWriter::finish() {
  if (!line_.empty()) close_line();
}

void SlotWriter::end_slot() {
  if (line_.full()) close_line();
}

void SlotWriter::close_line() {
  const std::uint64_t place = units_.size();
  units_.append(line_.entries());
  slots_.append(line_.finish(place));
}

}  // namespace crivo::records
