// SPDX-License-Identifier: Apache-2.0
/// Writing the records of the flat backend.
#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.hpp"
#include "base/sink.hpp"
#include "records/backends/flat/slots.hpp"
#include "records/build/backend_writer.hpp"

namespace crivo::records {

/// Writes the slots of ranks in order. In memory is no more than a line of entries.
class SlotWriter {
 public:
  /// Both sinks are empty, and outlive this.
  SlotWriter(base::Sink& units, base::Sink& slots) : units_(units), slots_(slots) {}

  /// Adds the rank that a unit begins with. Throws Error(io), as the others do.
  void add_unit(std::uint16_t fingerprint, base::ByteView unit);
  /// Adds a rank that belongs to the unit of the rank before it, or to none.
  void add_member(std::uint16_t fingerprint);
  /// Writes what is left. Call once, last.
  void finish();

 private:
  void end_slot();
  void close_line();

  base::Sink& units_;
  base::Sink& slots_;
  SlotLine line_;
};

std::unique_ptr<RecordFileWriter> write_flat(file::PendingFile& data, file::ContainerWriter& index,
                                             const RecordFilePlan& plan);

}  // namespace crivo::records
